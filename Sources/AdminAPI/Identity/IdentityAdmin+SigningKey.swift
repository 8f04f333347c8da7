// SPDX-License-Identifier: Apache-2.0

extension IdentityAdmin {
    /// A key that verifies an organisation's tokens. Times are in milliseconds since 1970.
    package struct SigningKey: Codable, Sendable, Equatable {
        package let id: String
        /// `RS256` or `ES256`.
        package let algorithm: String
        package let createdAt: Int64
        /// When the key starts to sign.
        package let signsAt: Int64
        /// Whether the key is the current signing key.
        package let isCurrent: Bool

        package init(id: String, algorithm: String, createdAt: Int64, signsAt: Int64, isCurrent: Bool) {
            self.id = id
            self.algorithm = algorithm
            self.createdAt = createdAt
            self.signsAt = signsAt
            self.isCurrent = isCurrent
        }
    }

    /// A request for new signing keys.
    package struct KeyRotation: Codable, Sendable {
        /// Whether the new keys sign at once. Otherwise they first wait until every client has had time to fetch them.
        package var immediately: Bool

        package init(immediately: Bool) { self.immediately = immediately }
    }
}

/// The operations on signing keys.
extension IdentityAdmin {
    package static let listSigningKeys = Endpoint<Empty, [SigningKey]>(
        "listSigningKeys", .get("/identity/tenants/{tenant}/signing-keys"),
        by: .roles(.globalAdministrator, .globalReader, permission: "Organization.Read.All"),
        effect: .reading,
        summary: "Lists the keys that verify tokens.")

    package static let rotateSigningKeys = Endpoint<KeyRotation, [SigningKey]>(
        "rotateSigningKeys", .post("/identity/tenants/{tenant}/signing-keys"),
        by: .roles(.globalAdministrator, permission: "Organization.ReadWrite.All"),
        effect: .danger("signing-key.add"),
        errors: ["identity.keys.pending"],
        summary: "Creates new signing keys and returns all keys.")
}
