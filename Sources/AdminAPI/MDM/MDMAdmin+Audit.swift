// SPDX-License-Identifier: Apache-2.0

extension MDMAdmin {
    /// One line of the device management audit log; `time` is in milliseconds since 1970.
    package struct AuditEntry: Codable, Sendable, Equatable {
        package let position: Int64
        package let time: Int64
        package let actor: String
        package let action: String
        /// The UDID, profile, app or enrollment that the action concerned.
        package let subject: String
        /// The queued command and its subject.
        package let detail: String?
        /// The id of the request in the server's log.
        package let correlation: String?
        /// The address of the client whose request caused the event; nil for an event without a request over the
        /// network.
        package let clientAddress: String?
        /// The interface through which an administrator acted: `socket` or `https`; nil for other events.
        package let interface: String?

        package init(
            position: Int64, time: Int64, actor: String, action: String, subject: String, detail: String?,
            correlation: String?, clientAddress: String?, interface: String?
        ) {
            self.position = position
            self.time = time
            self.actor = actor
            self.action = action
            self.subject = subject
            self.detail = detail
            self.correlation = correlation
            self.clientAddress = clientAddress
            self.interface = interface
        }
    }
}

/// The operations on device management's audit log.
extension MDMAdmin {
    package static let listManagementAuditEntries = Endpoint<Empty, [AuditEntry]>(
        "listManagementAuditEntries", .get("/mdm/tenants/{tenant}/audit"), query: [.count],
        by: .roles(
            .globalAdministrator, .globalReader, .intuneAdministrator, .reportsReader, permission: "AuditLog.Read.All"),
        effect: .reading,
        summary: "Lists the latest lines of device management's audit log, the oldest first.",
        details: "The tenant can be a removed one, by its id.")

    package static let exportManagementAuditEntries = Endpoint<Empty, Export>(
        "exportManagementAuditEntries", .get("/mdm/tenants/{tenant}/audit/export"), query: [.from, .to],
        by: .roles(
            .globalAdministrator, .globalReader, .intuneAdministrator, .reportsReader, permission: "AuditLog.Read.All"),
        effect: .recordedReading(audit: "mdm.audit.export"),
        summary: "Exports the lines of a period of device management's audit log, the oldest first.",
        details: "The tenant can be a removed one, by its id.")
}
