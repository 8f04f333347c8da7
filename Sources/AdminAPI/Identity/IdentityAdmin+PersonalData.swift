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
