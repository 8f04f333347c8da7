// SPDX-License-Identifier: Apache-2.0

/// What a person is asked at an interactive sign-in.
public enum MSALPromptType: UInt, Sendable {
    case selectAccount = 0
    case login = 1
    case consent = 2
    case create = 3
    case promptIfNecessary = 4

    /// Ask only what is needed.
    public static let `default` = MSALPromptType.promptIfNecessary

    /// The text on the wire; nil sends none (INT-6).
    var wireText: String? {
        switch self {
        case .selectAccount: "select_account"
        case .login: "login"
        case .consent: "consent"
        case .create: "create"
        case .promptIfNecessary: nil
        }
    }
}
