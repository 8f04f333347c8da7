// SPDX-License-Identifier: Apache-2.0

/// What an account must be to be listed: every condition that is given, whatever the case (ENUM-7).
struct AccountFilter: Sendable {
    private let identifier: String?
    private let username: String?
    private let profile: String?
    /// Whether accounts that are not signed in are left out (ENUM-8).
    let isSignedInOnly: Bool

    init(_ parameters: MSALAccountEnumerationParameters) {
        identifier = Self.normal(parameters.identifier)
        username = Self.normal(parameters.username)
        profile = Self.normal(parameters.tenantProfileIdentifier)
        isSignedInOnly = parameters.returnOnlySignedInAccounts
    }

    /// Whether `account` meets every condition.
    func accepts(_ account: MSALAccount) -> Bool {
        let profiles = account.tenantProfiles ?? []
        return (identifier == nil || identifier == Self.normal(account.identifier))
            && (username == nil || username == Self.normal(account.username))
            && (profile == nil || profiles.contains { Self.normal($0.identifier) == profile })
    }

    /// Trimmed and in lower case (ACC-1).
    private static func normal(_ text: String?) -> String? {
        text?.trimmingCharacters(in: .whitespacesAndNewlines).lowercased()
    }
}
