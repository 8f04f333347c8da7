// SPDX-License-Identifier: Apache-2.0
package import Storage

/// The audit entry of a restore from a backup.
package enum RestoreRecord {
    /// Adds an entry to the audit log of every organisation.
    ///
    /// - Parameter created: when the backup was written.
    /// - Throws: ``StorageError``
    package static func write(
        backupFrom created: Timestamp, at time: Timestamp, to database: any Database
    ) async throws {
        try await database.write { connection in
            for row in try connection.rows("SELECT id FROM tenant WHERE removed IS NULL ORDER BY id") {
                try AuditLog(connection).append(
                    AuditLine(
                        .storageRestored, tenant: try row["id"], actor: AuditLog.localOperator, subject: nil,
                        detail: "\(created.rawValue)", at: time))
            }
        }
    }
}
