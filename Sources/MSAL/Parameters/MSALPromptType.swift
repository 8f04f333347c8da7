// SPDX-License-Identifier: Apache-2.0

/// The prompt that a user gets during an interactive sign-in.
#if canImport(ObjectiveC)
    @objc(MSALPromptType)
#endif
public enum MSALPromptType: UInt, Sendable {
    /// Select an account.
    case selectAccount = 0
    /// Authenticate again.
    case login = 1
    /// Consent to the app's permissions.
    case consent = 2
    /// Create an account.
    case create = 3
    /// Only what is needed.
    case promptIfNecessary = 4

    /// Only what is needed.
    public static let `default` = MSALPromptType.promptIfNecessary

    /// The value in the request; nil if none is sent (INT-6).
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
