// SPDX-License-Identifier: Apache-2.0
import BrokerSupervisor
import DeviceHTTPS
import DeviceKeyStore
import DeviceSettings
internal import Files
import Glibc
import Logging
import MDMClient
import Processes

/// Connects the device's side of the MDM to the broker's supervisor.
enum EnrollmentSetup {
    /// Creates the agent that enrolls the device and carries out the MDM's commands. The agent reports every change to
    /// the supervisor.
    ///
    /// - Throws: ``DeviceStateDamaged`` if the device's record cannot be read.
    static func agent(
        _ configuration: SupervisorConfiguration, marker: ManagedMarker, inputs: Mailbox<SupervisorInput>,
        logger: Logger
    ) throws -> MDMClientService {
        let roots = configuration.trustRoots
        let resolve = configuration.resolve
        return try MDMClientService(
            directory: DeviceFiles(root: Directory(path: configuration.directory)).management,
            configuration: .init(
                device: DeviceDescription(name: try hostName()), interval: .seconds(configuration.checkInInterval),
                marker: marker,
                connect: { identity, profileRoots in
                    try HTTPSClient(
                        configuration: .init(
                            trustRootsPEM: try content(of: roots) + [UInt8(ascii: "\n")] + profileRoots,
                            dnsOverride: resolve, identity: identity))
                },
                changed: { _ in inputs.post(.deviceChanged) }),
            logger: logger)
    }

    /// Creates the client of the push channel to the server of `agent`'s enrollment. The client reports changes to the
    /// supervisor.
    static func pushClient(
        _ configuration: SupervisorConfiguration, _ platform: (any TrustedPlatform)?, agent: MDMClientService,
        inputs: Mailbox<SupervisorInput>,
        opened: @escaping @Sendable () -> Void, logger: Logger
    ) -> PushClient {
        let (roots, resolve) = (configuration.trustRoots, configuration.resolve)
        let pushClient = PushClient(
            configuration: .init(
                keys: DeviceFiles(root: Directory(path: configuration.directory), platform: platform).keyStore,
                server: {
                    guard let access = try await agent.access() else { return nil }
                    let client = try HTTPSClient(
                        configuration: .init(
                            trustRootsPEM: try content(of: roots) + [UInt8(ascii: "\n")] + access.roots,
                            dnsOverride: resolve, identity: access.identity, readTimeout: .seconds(3600)))
                    return PushServer(serverURL: access.serverURL, client: client)
                },
                https: https(configuration),
                ended: { epoch, trigger in inputs.post(.serverEnded(epoch, trigger)) },
                registration: { inputs.post(.registrationReceived($0)) }, checkIn: { agent.poke() },
                opened: opened, reachable: { inputs.post(.serverReachable($0)) },
                stateChanged: { inputs.post(.leasesInQuestion) }),
            logger: logger)
        agent.observeAccess { pushClient.accessChanged() }
        return pushClient
    }

    /// Returns a function that makes the client for the identity platform.
    static func https(_ configuration: SupervisorConfiguration) -> @Sendable () throws -> any HTTPSending {
        let (roots, resolve) = (configuration.trustRoots, configuration.resolve)
        return {
            try HTTPSClient(configuration: .init(trustRootsPEM: content(of: roots), dnsOverride: resolve))
        }
    }

    /// - Throws: ``FileError``, for example if the file does not exist: a missing file must not count as an empty list.
    private static func content(of file: String) throws -> [UInt8] {
        guard let content = try AtomicFile(path: file).read() else {
            throw FileError(.open, errno: ENOENT, path: file)
        }
        return content
    }

    private static func hostName() throws -> String {
        var name = [CChar](repeating: 0, count: 256)
        guard unsafe gethostname(&name, name.count - 1) == 0 else {
            throw ConfigurationError(file: "", cause: "the machine has no name", remedy: "Set one with hostnamectl.")
        }
        return String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
