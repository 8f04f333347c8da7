// SPDX-License-Identifier: Apache-2.0

/// A device's request for a command, usually with the result of the last command.
package struct CommandResult: Hashable, Sendable {
    package var udid: String
    package var status: Status
    /// Nil only for `Idle`.
    package var commandUUID: String?
    /// The user on whose channel the message arrived; nil for the device's own channel.
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

    /// The outcome of the command.
    package enum Status: String, Codable, Hashable, Sendable {
        /// The device has no result to report and asks for a command.
        case idle = "Idle"
        /// The device has executed the command or, if the command takes longer, has accepted it.
        case acknowledged = "Acknowledged"
        case error = "Error"
        /// The command is malformed, which is the server's error.
        case commandFormatError = "CommandFormatError"
        /// The device cannot execute the command now. The server keeps the command.
        case notNow = "NotNow"

        /// Whether the server may drop the command.
        package var isFinal: Bool {
            switch self {
            case .acknowledged, .error, .commandFormatError: true
            case .idle, .notNow: false
            }
        }
    }

    /// The content of a result other than its status.
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
    /// The domain of errors that the server derives from a result. Errors from the device have other domains.
    package static let serverDomain = "org.baton.mdm"

    /// Why an app was not installed, for a result whose error chain does not give the reason. Nil if the app is
    /// installed or being installed.
    package var installationProblem: ErrorItem? {
        guard case .installation(_, let reported, let rejection) = answer else { return nil }
        // If there is an error, it already explains the outcome.
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
    /// Whether the app is installed and managed, or will be so unless an error occurs (Apple, application.install.yaml,
    /// `State`).
    fileprivate var isInstallation: Bool {
        switch self {
        case .installing, .managed: true
        case .failed: false
        case .other(let name): Self.inProgress.contains(name)
        }
    }

    private static let inProgress: Set<String> = [
        "Queued", "Redeeming", "Prompting", "PromptingForLogin", "ValidatingPurchase", "PromptingForUpdate",
        "PromptingForUpdateLogin", "ValidatingUpdate", "Updating", "PromptingForManagement",
    ]

    /// The next step for an administrator if the app is in this state and not installed; nil if there is none.
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

/// One item of an error chain. The chain begins with the outermost error.
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

/// A profile as `ProfileList` reports it.
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

/// The state of an app's installation. Baton's own devices use only the states `installing`, `managed` and `failed`.
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

/// A managed app as `ManagedApplicationList` reports it.
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

/// The outcome of one item of a Settings command. The command as a whole can succeed even if some items fail.
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
