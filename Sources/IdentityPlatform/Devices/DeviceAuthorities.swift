// SPDX-License-Identifier: Apache-2.0
internal import Storage
internal import Synchronization

/// The device authorities of all organisations. Each is created when it is first needed, and loaded once.
package final class DeviceAuthorities: Sendable {
    private let database: any Database
    private let storageKey: StorageKey
    private let environment: ClockAndRandomness
    private let loaded = Mutex<[TenantID: DeviceAuthority]>([:])

    init(database: any Database, storageKey: StorageKey, environment: ClockAndRandomness) {
        (self.database, self.storageKey, self.environment) = (database, storageKey, environment)
    }

    /// Returns the organisation's authority.
    ///
    /// - Throws: ``StorageError``, ``StorageKey/Failure``, or an error of the cryptography library.
    func authority(of tenant: TenantID) async throws -> DeviceAuthority {
        if let authority = loaded.withLock({ $0[tenant] }) { return authority }
        if let authority = try await stored(tenant) { return remember(authority, tenant) }
        let time = environment.now()
        let made = try await generate(at: time)
        let sealed = try storageKey.seal(made.privateKey, purpose: purpose(tenant))
        try await database.write { connection in
            try connection.insert(
                into: StoredAuthority.self,
                [.tenant: tenant, .certificate: made.certificate, .sealedPrivateKey: sealed, .created: time],
                "ON CONFLICT (tenant) DO NOTHING")
        }
        // If two requests create an authority at the same time, the authority that is written first is used.
        guard let authority = try await stored(tenant) else {
            throw StorageError(.unexpectedValue, "the device authority is gone")
        }
        return remember(authority, tenant)
    }

    private func remember(_ authority: DeviceAuthority, _ tenant: TenantID) -> DeviceAuthority {
        loaded.withLock { $0[tenant] = authority }
        return authority
    }

    private func stored(_ tenant: TenantID) async throws -> DeviceAuthority? {
        let row = try await database.read { connection in
            try connection.row(of: StoredAuthority.self, "WHERE tenant = \(tenant)")
        }
        return try row.map { row in
            try DeviceAuthority(
                certificate: try row[.certificate],
                privateKey: try storageKey.open(try row[.sealedPrivateKey], purpose: purpose(tenant)))
        }
    }

    /// Returns the certificates of all organisations' authorities, in DER.
    ///
    /// - Throws: ``StorageError``
    static func certificates(_ connection: any Connection) throws -> [[UInt8]] {
        try connection.values(.certificate, of: StoredAuthority.self, "")
    }

    private func purpose(_ tenant: TenantID) -> String { "device authority \(tenant)" }

    @concurrent private func generate(
        at time: Timestamp
    ) async throws -> (authority: DeviceAuthority, certificate: [UInt8], privateKey: [UInt8]) {
        try DeviceAuthority.generate(at: time, environment)
    }
}

private enum StoredAuthority: Table {
    static let table = "deviceAuthority"
    enum Column: String, ColumnName { case tenant, certificate, sealedPrivateKey, created }
}
