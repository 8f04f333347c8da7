// SPDX-License-Identifier: Apache-2.0

/// The conditions that an account must meet to be listed. All given conditions must hold; case does not matter
/// (ENUM-7).
struct AccountFilter: Sendable {
    private let identifier: String?
    private let username: String?
    private let profile: String?
    /// Whether to leave out accounts that are not signed in (ENUM-8).
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

    /// Trims and lowercases `text` (ACC-1).
    private static func normal(_ text: String?) -> String? {
        text?.trimmingCharacters(in: .whitespacesAndNewlines).lowercased()
    }
}
