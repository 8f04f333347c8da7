// SPDX-License-Identifier: Apache-2.0
internal import Storage

/// Seals the devices' secrets that an older server stored unencrypted in the database.
struct ClearSecrets: Sendable {
    let database: any Database
    let sealer: SecretSealer

    /// Seals these secrets, in batches.
    ///
    /// - Throws: ``StorageError``, or an error from `sealer`.
    func seal() async throws {
        while try await database.write({ [self] in try sealCommands($0) }) {}
        while try await database.write({ [self] in try sealUnlockTokens($0) }) {}
    }

    private static let step = 100

    /// Seals one batch of the bodies of waiting commands.
    ///
    /// - Returns: whether there were bodies to seal.
    private func sealCommands(_ connection: any Connection) throws -> Bool {
        let rows = try connection.rows(
            """
            SELECT tenant, udid, uuid, body FROM command WHERE finishedAt IS NULL AND sealedBody IS NULL
            LIMIT \(Self.step)
            """)
        for row in rows {
            let (tenant, udid): (TenantID, UDID) = (try row["tenant"], try row["udid"])
            let (uuid, clear): (CommandUUID, [UInt8]) = (try row["uuid"], try row["body"])
            let queue = CommandQueue(connection: connection, tenant: tenant, udid: udid)
            let sealed = try sealer.seal(clear, queue.purpose(uuid))
            // Zeros of the same length come first, to overwrite the bytes in place in the file.
            for (body, sealed) in [(Self.zeros(clear), nil), ([], sealed)] as [([UInt8], [UInt8]?)] {
                try connection.execute(
                    """
                    UPDATE command SET body = \(body), sealedBody = \(sealed)
                    WHERE tenant = \(tenant) AND udid = \(udid) AND uuid = \(uuid)
                    """)
            }
        }
        return !rows.isEmpty
    }

    private func sealUnlockTokens(_ connection: any Connection) throws -> Bool {
        let rows = try connection.rows(
            "SELECT tenant, udid, unlockToken FROM device WHERE unlockToken IS NOT NULL LIMIT \(Self.step)")
        for row in rows {
            let (tenant, udid): (TenantID, UDID) = (try row["tenant"], try row["udid"])
            let clear: [UInt8] = try row["unlockToken"]
            let devices = DeviceRecords(connection: connection, tenant: tenant)
            let sealed = try sealer.seal(clear, devices.unlockTokenPurpose(udid))
            for (token, sealed) in [(Self.zeros(clear), nil), (nil, sealed)] as [([UInt8]?, [UInt8]?)] {
                try connection.execute(
                    """
                    UPDATE device SET unlockToken = \(token), sealedUnlockToken = \(sealed)
                    WHERE tenant = \(tenant) AND udid = \(udid)
                    """)
            }
        }
        return !rows.isEmpty
    }

    private static func zeros(_ bytes: [UInt8]) -> [UInt8] { [UInt8](repeating: 0, count: bytes.count) }
}
