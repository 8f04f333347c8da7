// SPDX-License-Identifier: Apache-2.0
internal import BrokerProtocol
internal import DeviceSettings
internal import Files
internal import Logging

/// The device as configured by the MDM and the administrator: its apps, its session policy, and whether it is shared.
final class ConfiguredDevice {
    let configuration: SupervisorConfiguration
    let files: DeviceFiles
    let management: any MDMClientInterface
    /// The apps, or why they are unknown; in that case no app is served.
    private(set) var registry: Result<AppRegistry, RegistryFailure> = .success(.none)
    /// The folders in which each app keeps a worker's data, by bundle id, according to the last registry that could be
    /// used.
    private(set) var dataFolders: [String: [DataFolder]] = [:]
    /// The apps that run as the session's user, according to the same registry.
    private(set) var sessionApps: Set<String> = []
    /// The policy in force, from the device's own file and the MDM's override.
    private(set) var policy: SessionPolicy
    /// Why the MDM's policy is not in force; nil if it is in force, or if the MDM has set no policy.
    private(set) var policyError: SessionPolicyError?
    private let join: JoinFlow
    private let serverSessions: ServerSessions
    private let listeners: AppListeners
    private let logger: Logger

    init(
        configuration: SupervisorConfiguration, files: DeviceFiles, management: any MDMClientInterface,
        join: JoinFlow, serverSessions: ServerSessions, listeners: AppListeners, logger: Logger
    ) {
        (self.configuration, self.files, self.management) = (configuration, files, management)
        (self.join, self.serverSessions) = (join, serverSessions)
        (self.listeners, self.logger) = (listeners, logger)
        policy = configuration.sessionPolicy
    }

    /// Reads everything again: at the start, and whenever the MDM or an administrator has changed something.
    func read() {
        readRegistry()
        readPolicy()
    }

    private func readRegistry() {
        let former = registry
        do throws(RegistryFailure) {
            var file: RegistryFile?
            if let path = configuration.appRegistry { file = try RegistryFile(path: path) }
            try trustManagement()
            registry = .success(
                try AppRegistry(managed: management.settings, file: file, sharedUsers: listeners.sharedUsers))
        } catch {
            registry = .failure(error)
            logger.error(
                "no app is served: the registry of apps cannot be used",
                metadata: ["error.code": "\(error.code.rawValue)", "error.subject": "\(error.subject)"])
        }
        if let known = try? registry.get() {
            dataFolders = known.dataFolders
            sessionApps = Set(known.apps.filter { $0.binding == .session }.map(\.bundleID))
        }
        if registry != former { listeners.follow(try? registry.get()) }
    }

    /// Checks that only root and the broker's user are able to write or replace the file with the MDM's declarations.
    private func trustManagement() throws(RegistryFailure) {
        do throws(RegistryFailure) { try RegistryFile.trust(files.management.path + "/state.json") } catch {
            // A device that was never enrolled has no such file.
            guard error.code == .missing else { throw error }
        }
    }

    private func readPolicy() {
        let (now, refusal) = configuration.sessionPolicy.followed(management.settings)
        if let refusal, refusal != policyError {
            logger.error(
                "the session policy of the MDM is refused; the device's own is in force",
                metadata: ["error.code": "\(refusal.code.rawValue)", "error.subject": "\(refusal.key)"])
        }
        (policy, policyError) = (now, refusal)
    }

    /// The device's state as the session process needs it now.
    var snapshot: DeviceSnapshot {
        let settings = management.settings
        let mode = DeviceMode(
            .init(
                brokerManaged: settings.brokerManaged, profile: settings.profileShared,
                appConfiguration: settings.appConfigurationShared, joined: join.record != nil))
        return DeviceSnapshot(
            mode: mode, join: join.record, registry: registry, singleSignOn: settings.singleSignOn,
            browser: settings.browser, endedSessions: serverSessions.ended)
    }
}
