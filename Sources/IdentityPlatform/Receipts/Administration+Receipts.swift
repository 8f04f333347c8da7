// SPDX-License-Identifier: Apache-2.0
internal import Storage

extension Administration {
    /// Whom a receipt's pseudonym means; the audit log says who asked.
    ///
    /// - Returns: the ids, and the person where the organisation still has them.
    /// - Throws: ``AdminRefusal``, ``StorageError``
    func resolve(_ pseudonym: String, tenant: Tenant) async throws -> (ReceiptAuthority.Subject, User?) {
        guard let subject = try await platform.receiptAuthorities.authority(of: tenant.id).subject(of: pseudonym) else {
            throw AdminRefusal.noReceiptSubject
        }
        return try await write { connection, now in
            try record(.receiptResolved, tenant.id, subject.user.rawValue, now, connection)
            return (subject, try Users(connection).find(subject.user, tenant: tenant.id))
        }
    }
}
