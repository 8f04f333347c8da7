// SPDX-License-Identifier: Apache-2.0
internal import OAuth
internal import Storage

extension Administration {
    /// Turns offline sign-in on under these rules, or off; what was given before is withdrawn in either case.
    ///
    /// - Throws: ``StorageError``
    package func setOfflineRules(_ rules: OfflineRules?, tenant: Tenant) async throws {
        try await write { connection, now in
            try OfflineRules.keep(rules, for: tenant.id, connection)
            if rules?.credentials.contains(.pinWithoutTPM) == true {
                try record(.offlinePINWithoutTPM, tenant.id, nil, now, connection)
            }
            try record(rules == nil ? .offlineTurnedOff : .offlineTurnedOn, tenant.id, nil, now, connection)
        }
    }
}
