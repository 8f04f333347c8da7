// SPDX-License-Identifier: Apache-2.0

/// What a person is asked at an interactive sign-in.
#if canImport(ObjectiveC)
    @objc(MSALPromptType)
#endif
public enum MSALPromptType: UInt, Sendable {
    /// Which account to use.
    case selectAccount = 0
    /// To prove again who they are.
    case login = 1
    /// To consent to what the app asks for.
    case consent = 2
    /// To make an account.
    case create = 3
    /// Only what is needed.
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
