// SPDX-License-Identifier: Apache-2.0

extension IdentityAdmin {
    /// A key that an organisation's tokens are checked with; times are in seconds since 1970.
    package struct SigningKey: Codable, Sendable, Equatable {
        package let id: String
        /// `RS256` or `ES256`.
        package let algorithm: String
        package let created: Int64
        /// From when it signs.
        package let signs: Int64
        /// Whether it is the one that signs now.
        package let isCurrent: Bool

        package init(id: String, algorithm: String, created: Int64, signs: Int64, isCurrent: Bool) {
            self.id = id
            self.algorithm = algorithm
            self.created = created
            self.signs = signs
            self.isCurrent = isCurrent
        }
    }

    /// Asks for new signing keys.
    package struct KeyRotation: Codable, Sendable {
        /// Whether they sign at once, and not only when every client has had time to fetch them.
        package var immediately: Bool

        package init(immediately: Bool) { self.immediately = immediately }
    }
}
