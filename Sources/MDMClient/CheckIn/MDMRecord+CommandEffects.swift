// SPDX-License-Identifier: Apache-2.0
internal import DeviceSettings
internal import Encodings
internal import Files
internal import FoundationEssentials
internal import MDMProtocol

/// The outcome of a command, before it is written to disk and sent.
struct CommandOutcome: Sendable {
    var status: CommandResult.Status
    var errors: [ErrorItem] = []
    var answer: CommandResult.Answer?

    static func done(_ answer: CommandResult.Answer? = nil) -> CommandOutcome {
        CommandOutcome(status: .acknowledged, answer: answer)
    }

    static func failed(_ problem: CommandProblem, _ detail: String) -> CommandOutcome {
        CommandOutcome(status: .error, errors: [problem.item(detail)])
    }
}

/// Why a device cannot carry out a command. The values are stable.
enum CommandProblem: Int64 {
    case profileRefused = 1
    case profileMissing = 2
    case appNotManaged = 3
    case manifestRefused = 4
    case downloadFailed = 5
    case digestWrong = 6
    case storageFailed = 7
    case unknownSetting = 8
    /// The enrollment profile does not grant a right that the command needs (AccessRights).
    case notPermitted = 9
    /// The broker cannot follow a setting of the configuration, or could serve no app with it.
    case configurationRefused = 10
    /// Apple's code for a request type that the device does not support.
    case unknownCommand = 12021

    func item(_ detail: String) -> ErrorItem {
        let domain = self == .unknownCommand ? "MCMDMErrorDomain" : "org.baton.management"
        return ErrorItem(code: rawValue, domain: domain, message: detail)
    }
}

extension MDMRecord {
    /// Carries out a command that needs only the record.
    ///
    /// - Parameter rights: the rights that the enrollment profile grants.
    /// - Returns: nil for `InstallApplication`, which must fetch a package first.
    mutating func perform(
        _ command: Command, rights: AccessRights, device: DeviceDescription
    ) throws -> CommandOutcome? {
        guard rights.isSuperset(of: command.neededRights) else {
            return .failed(.notPermitted, "the enrollment does not grant \(command.requestType)")
        }
        return switch command {
        case .installProfile(let body): install(profile: body)
        case .removeProfile(let identifier): remove(profile: identifier)
        case .profileList(let managedOnly): .done(.profiles(try list(managedOnly: managedOnly)))
        case .settings(let settings): .done(.settings(try settings.map { try apply($0) }))
        case .installApplication: nil
        case .managedApplicationList(let identifiers): .done(.managedApps(listApps(identifiers)))
        case .deviceInformation(let queries): .done(.information(device.answers(to: queries, udid: udid)))
        case .unknown(let requestType):
            .failed(.unknownCommand, "the device does not support the request type \(requestType)")
        }
    }

    private mutating func apply(_ setting: Command.Setting) throws -> SettingResult {
        switch setting {
        case .applicationConfiguration(let identifier, let configuration):
            guard apps[identifier] != nil else {
                let reason = CommandProblem.appNotManaged.item("\(identifier) is not managed")
                return SettingResult(item: setting.item, identifier: identifier, status: .error, errorChain: [reason])
            }
            if let refusal = try refusal(of: configuration, for: identifier) {
                return SettingResult(item: setting.item, identifier: identifier, status: .error, errorChain: [refusal])
            }
            apps[identifier]?.configuration = try configuration.map { Data(try PropertyList.dictionary($0).xml()) }
            return SettingResult(item: setting.item, identifier: identifier, status: .acknowledged)
        case .unknown(let item):
            let reason = CommandProblem.unknownSetting.item("the device does not support the setting \(item)")
            return SettingResult(item: item, identifier: nil, status: .error, errorChain: [reason])
        }
    }

    /// Returns why a configuration is refused; nil if it is accepted. The broker's own configuration is refused if the
    /// broker cannot follow it. An app's configuration is refused if the broker could serve no app with it. After a
    /// refusal, the previous configuration remains in force.
    private func refusal(of configuration: [String: PropertyList]?, for identifier: String) throws -> ErrorItem? {
        guard identifier == AppConfiguration.broker else {
            // If the device already serves no app, this configuration may repair the device.
            guard try registryFailure == nil else { return nil }
            var next = self
            next.apps[identifier] = App(
                version: "", sha256: "", path: "", flags: 0,
                configuration: try configuration.map { Data(try PropertyList.dictionary($0).xml()) })
            return try next.registryFailure.map { failure in
                CommandProblem.configurationRefused.item("\(failure.message) \(failure.remedy)")
            }
        }
        if let problem = AppConfigurationProblem(in: configuration ?? [:]) {
            return CommandProblem.configurationRefused.item("\(problem.message). \(problem.remedy)")
        }
        do throws(SessionPolicyError) {
            _ = try SessionPolicyOverride(configuration: configuration ?? [:])
            return nil
        } catch { return CommandProblem.configurationRefused.item("\(error.message) \(error.remedy)") }
    }

    /// Why the MDM's declarations of the apps are ambiguous; nil if they are not.
    private var registryFailure: RegistryFailure? {
        get throws {
            let settings = try MDMState(record: self, apps: Directory(path: "/")).settings
            do throws(RegistryFailure) {
                _ = try AppRegistry(managed: settings, file: nil, sharedUsers: [])
                return nil
            } catch { return error }
        }
    }

    /// Lists the managed apps. A failed installation is listed only once.
    private mutating func listApps(_ identifiers: [String]?) -> [ManagedAppStatus] {
        let wanted = { (identifier: String) in identifiers?.contains(identifier) ?? true }
        let failed = failedApps.filter(wanted)
        failedApps.subtract(failed)
        let all = Set(apps.keys.filter(wanted)).union(failed)
        return all.sorted().map { identifier in
            let app = apps[identifier]
            return ManagedAppStatus(
                identifier: identifier, state: failed.contains(identifier) ? .failed : .managed,
                flags: ManagementFlags(rawValue: app?.flags ?? 0), hasConfiguration: app?.configuration != nil)
        }
    }

    /// Adds a fetched and checked package to the managed apps. Refuses a configuration that the broker cannot follow.
    mutating func register(_ package: FetchedPackage, command: Command.InstallApplication) throws -> CommandOutcome {
        let identifier = package.manifest.bundleIdentifier
        if let refusal = try refusal(of: command.configuration, for: identifier) {
            failedApps.insert(identifier)
            return CommandOutcome(
                status: .error, errors: [refusal], answer: .installation(identifier: identifier, state: .failed))
        }
        apps[identifier] = App(
            version: package.manifest.version, sha256: Hexadecimal.text(package.manifest.sha256), path: package.path,
            flags: command.managementFlags.rawValue,
            configuration: try command.configuration.map { Data(try PropertyList.dictionary($0).xml()) })
        failedApps.remove(identifier)
        return .done(.installation(identifier: identifier, state: .managed))
    }

    /// Records that an app could not be installed. If an earlier version of the app is installed, that version is kept.
    mutating func fail(_ failure: PackageFailure) -> CommandOutcome {
        var outcome = CommandOutcome.failed(failure.problem, failure.detail)
        if let identifier = failure.identifier { failedApps.insert(identifier) }
        outcome.answer = .installation(identifier: failure.identifier, state: .failed)
        return outcome
    }
}

extension Command {
    /// The rights that an enrollment must grant for this command.
    fileprivate var neededRights: AccessRights {
        switch self {
        case .installProfile, .removeProfile: .changeProfiles
        case .profileList: .inspectProfiles
        case .settings: [.settings, .manageApps]
        case .installApplication, .managedApplicationList: .manageApps
        case .deviceInformation: .deviceInformation
        case .unknown: []
        }
    }
}
