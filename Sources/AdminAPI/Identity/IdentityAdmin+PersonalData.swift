// SPDX-License-Identifier: Apache-2.0

extension IdentityAdmin {
    /// How much the server stores about a person.
    package struct PersonalHoldings: Codable, Sendable, Equatable {
        /// Sessions that have not ended.
        package let sessions: Int
        /// The person's personal devices.
        package let devices: Int

        package init(sessions: Int, devices: Int) { (self.sessions, self.devices) = (sessions, devices) }
    }

    /// The result of an erasure.
    package struct Erasure: Codable, Sendable, Equatable {
        /// The text that replaces the person in the audit log from now on. It does not reveal who the person was.
        package let pseudonym: String
        /// The number of lines of the audit log that named the person.
        package let auditEntries: Int
        package let removed: PersonalHoldings

        package init(pseudonym: String, auditEntries: Int, removed: PersonalHoldings) {
            (self.pseudonym, self.auditEntries, self.removed) = (pseudonym, auditEntries, removed)
        }
    }
}

/// The operations on data-protection requests.
extension IdentityAdmin {
    package static let exportUser = Endpoint<Empty, Export>(
        "exportUser", .get("/identity/tenants/{tenant}/users/{user}/data"),
        by: .roles(.globalAdministrator, permission: "User.Export.All"),
        effect: .recordedReading(audit: "user.export"),
        summary: "Exports everything that the server stores about a person.")

    package static let getPersonalHoldings = Endpoint<Empty, PersonalHoldings>(
        "getPersonalHoldings", .get("/identity/tenants/{tenant}/users/{user}/erasure"),
        by: .roles(.globalAdministrator, .globalReader, .userAdministrator, permission: "User.Read.All"),
        effect: .reading,
        summary: "Counts what the removal or erasure of a person removes.")

    package static let eraseUser = Endpoint<Empty, Erasure>(
        "eraseUser", .post("/identity/tenants/{tenant}/users/{user}/erasure"),
        by: .roles(.globalAdministrator, permission: "User.ReadWrite.All"),
        effect: .danger("user.erase", "device.remove"),
        errors: ["identity.role.last"],
        summary: "Removes a person and replaces their id in the audit log by a pseudonym.")
}
