// SPDX-License-Identifier: Apache-2.0

/// The prompt that a user gets during an interactive sign-in.
#if canImport(ObjectiveC)
    @objc(MSALPromptType)
#endif
public enum MSALPromptType: UInt, Sendable {
    /// The user selects an account.
    case selectAccount = 0
    /// The user authenticates again.
    case login = 1
    /// The user consents to the app's permissions.
    case consent = 2
    /// The user creates an account.
    case create = 3
    /// The user is asked only for what is needed.
    case promptIfNecessary = 4

    /// The default prompt: the user is asked only for what is needed.
    public static let `default` = MSALPromptType.promptIfNecessary

    /// The value in the request; nil if the request contains no prompt (INT-6).
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
