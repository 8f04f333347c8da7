// SPDX-License-Identifier: Apache-2.0
package import BrokerProtocol
internal import MDMProtocol

/// Why the registry cannot distinguish the apps. While there is such a failure, no app is served.
package struct RegistryFailure: Error, Sendable, Codable, Equatable {
    /// Stable codes. Each has a cause and a remedy.
    package enum Code: String, Sendable, Codable, CaseIterable {
        case missing = "registry_missing"
        case unreadable = "registry_unreadable"
        case owner = "registry_owner"
        case mode = "registry_mode"
        case malformed = "registry_malformed"
        case level = "registry_level_unknown"
        case name = "registry_app_name"
        case appTwice = "registry_app_twice"
        case clientTwice = "registry_client_twice"
        case userTwice = "registry_user_twice"
        case userShared = "registry_user_shared"
        case rules = "registry_rules_malformed"
        case dataFolder = "registry_data_folder"
        case dataFolderTwice = "registry_data_folder_twice"
    }

    package let code: Code
    /// The file, app or key with the problem; never a person.
    package let subject: String
    /// What exactly is wrong, as the end of a sentence; nil if the code alone is clear.
    package let detail: String?

    package init(_ code: Code, _ subject: String, detail: String? = nil) {
        self.code = code
        self.subject = subject
        self.detail = detail
    }

    package var message: String {
        switch code {
        case .missing: "The registry of apps \(subject) does not exist."
        case .unreadable: "The registry of apps \(subject) cannot be read."
        case .owner: "The registry of apps \(subject), or its folder, is owned by neither root nor the broker's user."
        case .mode: "The registry of apps \(subject) is not a regular file, or others may write to it or to its folder."
        case .malformed: "The registry of apps \(subject) does not have the form that the broker expects."
        case .level: "The identity level of \(subject) is unknown, or its user is missing or not allowed at that level."
        case .name: "\(subject) is not a valid name of an app."
        case .appTwice: "The app \(subject) is declared twice."
        case .clientTwice: "The client id of \(subject) also belongs to another entry."
        case .userTwice: "The user of \(subject) also belongs to another app."
        case .userShared: "The user of \(subject) is root, the broker's user or a session user."
        case .rules: "The single sign-on profile's \(subject) cannot be read."
        case .dataFolder: "The dataFolders of \(subject) cannot be used\(reason)."
        case .dataFolderTwice: "A folder in dataFolders of \(subject) is named twice, or lies in another\(reason)."
        }
    }

    private var reason: String { detail.map { ": \($0)" } ?? "" }

    package var remedy: String {
        switch code {
        case .missing: "Create it, or leave appRegistry out of batond.json."
        case .unreadable: "Let the broker's user read it, or leave appRegistry out of batond.json."
        case .owner: "Run 'chown root:' on it and on its folder."
        case .mode: "Run 'chmod go-w' on it and on its folder; it must not be a link."
        case .malformed: "Correct it as docs/app-identity.md describes; an unknown key is an error."
        case .level: "Use socket, session, or user with a user id."
        case .name: "Use up to 100 letters, digits, dots, hyphens and underscores."
        case .appTwice: "Keep only one of the two entries, or list clients in only one of them."
        case .clientTwice: "Register a separate client for each app."
        case .userTwice, .userShared: "Give the app a user of its own, or another level."
        case .rules:
            "Correct the profile: a list is one string with commas; Enable_SSO_On_All_ManagedApps is 0 or 1."
        case .dataFolder:
            "Name up to \(DataFolderRule.maximumCount) folders with their full paths, such as /home/kiosk/rounds/data, for an "
                + "app with the level session."
        case .dataFolderTwice: "Give each app folders of its own, none of them inside another."
        }
    }

    /// The error that apps get while this failure lasts.
    package var brokerError: BrokerError {
        BrokerError(.brokerUnavailable, "\(message) \(remedy)", reason: .init(rawValue: code.rawValue))
    }
}
