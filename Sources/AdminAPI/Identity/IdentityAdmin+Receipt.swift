// SPDX-License-Identifier: Apache-2.0

extension IdentityAdmin {
    /// The person to whom a receipt's pseudonym belongs.
    package struct ReceiptSubject: Codable, Sendable, Equatable {
        /// The person's object id.
        package let user: String
        /// Nil if the person was removed from the organisation.
        package let userPrincipalName: String?
        /// The device that the pseudonym was made for. If it is not the receipt's device, suspect fraud.
        package let device: String
        package let session: String

        package init(user: String, userPrincipalName: String?, device: String, session: String) {
            self.user = user
            self.userPrincipalName = userPrincipalName
            self.device = device
            self.session = session
        }
    }
}

/// The operations on receipts.
extension IdentityAdmin {
    package static let getReceiptTrust = Endpoint<Empty, Document>(
        "getReceiptTrust", .get("/identity/tenants/{tenant}/receipts/trust"),
        by: .roles(.globalAdministrator, .globalReader, .reportsReader, permission: "AuditLog.Read.All"),
        effect: .reading,
        summary: "Returns the trust data for verifying receipts on another machine.")

    package static let resolveReceiptSubject = Endpoint<Empty, ReceiptSubject>(
        "resolveReceiptSubject", .get("/identity/tenants/{tenant}/receipts/subjects/{subject}"),
        by: .roles(.globalAdministrator, permission: "AuditLog.Read.All"),
        effect: .recordedReading(audit: "receipt.resolve"),
        summary: "Returns the person behind a receipt's pseudonym.")
}
