// SPDX-License-Identifier: Apache-2.0

/// What a device says when it asks for work, mostly the result of the last command.
package struct CommandResult: Hashable, Sendable {
    package var udid: String
    package var status: Status
    /// Nil for `Idle` alone.
    package var commandUUID: String?
    /// The user whose channel the message came by; nil for the device's own channel.
    package var userID: String?
    package var errorChain: [ErrorItem]
    package var answer: Answer?

    package init(
        udid: String, status: Status, commandUUID: String? = nil, errorChain: [ErrorItem] = [], answer: Answer? = nil
    ) {
        self.udid = udid
        self.status = status
        self.commandUUID = commandUUID
        self.errorChain = errorChain
        self.answer = answer
    }

    /// What became of the command.
    package enum Status: String, Codable, Hashable, Sendable {
        /// Nothing to report: give me work.
        case idle = "Idle"
        /// Done, or accepted where it takes longer.
        case acknowledged = "Acknowledged"
        case error = "Error"
        /// The command is malformed: the server's fault.
        case commandFormatError = "CommandFormatError"
        /// Not at this moment; the server keeps the command.
        case notNow = "NotNow"

        /// Whether the server may forget the command.
        package var isFinal: Bool {
            switch self {
            case .acknowledged, .error, .commandFormatError: true
            case .idle, .notNow: false
            }
        }
    }

    /// What a result carries beside its status.
    package enum Answer: Hashable, Sendable {
        case profiles([InstalledProfile])
        case managedApps([ManagedAppStatus])
        /// `rejection` is the protocol's `RejectionReason`.
        case installation(identifier: String?, state: AppState?, rejection: String? = nil)
        case settings([SettingResult])
        case information([String: PropertyList])
    }
}

extension CommandResult {
    /// The domain of the reasons that the server reads from a result beside the device's own.
    package static let serverDomain = "org.baton.mdm"

    /// Why an app was not installed although the result has no error that says so; nil where the app is installed, or on its
    /// way.
    package var installationProblem: ErrorItem? {
        guard case .installation(_, let reported, let rejection) = answer else { return nil }
        // The reasons of an error say what became of the app.
        let state = status == .acknowledged ? reported : nil
        guard rejection != nil || state?.isInstallation == false else { return nil }
        let words: [String?] = [
            state.map { "the app's state is \($0.name)" }, rejection.map { "the device's reason is \($0)" },
            state?.remedy,
        ]
        return ErrorItem(code: 1, domain: Self.serverDomain, message: words.compactMap { $0 }.joined(separator: "; "))
    }
}

extension AppState {
    /// Whether the app is installed and managed, or will be if nothing goes wrong (Apple, application.install.yaml, `State`).
    fileprivate var isInstallation: Bool {
        switch self {
        case .installing, .managed: true
        case .failed: false
        case .other(let name): Self.underWay.contains(name)
        }
    }

    private static let underWay: Set<String> = [
        "Queued", "Redeeming", "Prompting", "PromptingForLogin", "ValidatingPurchase", "PromptingForUpdate",
        "PromptingForUpdateLogin", "ValidatingUpdate", "Updating", "PromptingForManagement",
    ]

    /// What an administrator does about a state that is no installation.
    fileprivate var remedy: String? {
        switch name {
        case "NeedsRedemption": "it waits for a redemption code, which this server does not send"
        case "UserRejected", "UpdateRejected", "ManagementRejected": "ask the person at the device, then push it again"
        case "UserInstalledApp": "remove the app on the device, then push it again"
        case "ManagedButUninstalled": "push it again"
        default: nil
        }
    }
}

/// One link of the reasons for a failure, the outermost first.
package struct ErrorItem: Hashable, Sendable {
    package var code: Int64
    package var domain: String
    package var message: String

    package init(code: Int64, domain: String, message: String) {
        self.code = code
        self.domain = domain
        self.message = message
    }
}

/// A profile as `ProfileList` shows it.
package struct InstalledProfile: Hashable, Sendable {
    package var identifier: String
    package var uuid: String
    package var isManaged: Bool
    package var payloads: [PayloadName]

    package init(identifier: String, uuid: String, isManaged: Bool, payloads: [PayloadName] = []) {
        self.identifier = identifier
        self.uuid = uuid
        self.isManaged = isManaged
        self.payloads = payloads
    }

    package struct PayloadName: Hashable, Sendable {
        package var type: String
        package var identifier: String
        package var uuid: String

        package init(type: String, identifier: String, uuid: String) {
            self.type = type
            self.identifier = identifier
            self.uuid = uuid
        }
    }
}

/// Where the installation of an app stands; Baton's own devices use none of the protocol's other names.
package enum AppState: Hashable, Sendable {
    case installing, managed, failed
    case other(String)

    package init(name: String) {
        self =
            switch name {
            case "Installing": .installing
            case "Managed": .managed
            case "Failed": .failed
            default: .other(name)
            }
    }

    package var name: String {
        switch self {
        case .installing: "Installing"
        case .managed: "Managed"
        case .failed: "Failed"
        case .other(let name): name
        }
    }
}

/// A managed app as `ManagedApplicationList` shows it.
package struct ManagedAppStatus: Hashable, Sendable {
    package var identifier: String
    package var state: AppState
    package var flags: ManagementFlags
    package var hasConfiguration: Bool

    package init(identifier: String, state: AppState, flags: ManagementFlags, hasConfiguration: Bool) {
        self.identifier = identifier
        self.state = state
        self.flags = flags
        self.hasConfiguration = hasConfiguration
    }
}

/// What became of one item of a Settings command: the command can succeed as a whole with items that failed.
package struct SettingResult: Hashable, Sendable {
    package var item: String
    package var identifier: String?
    package var status: CommandResult.Status
    package var errorChain: [ErrorItem]

    package init(item: String, identifier: String?, status: CommandResult.Status, errorChain: [ErrorItem] = []) {
        self.item = item
        self.identifier = identifier
        self.status = status
        self.errorChain = errorChain
    }
}
