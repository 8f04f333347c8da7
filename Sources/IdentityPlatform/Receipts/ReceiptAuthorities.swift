// SPDX-License-Identifier: Apache-2.0
internal import Crypto
internal import FoundationEssentials
internal import Receipts
package import Storage
internal import Synchronization

/// The receipt keys of all organisations. Each is created when first needed and loaded once.
package final class ReceiptAuthorities: Sendable {
    private let database: any Database
    private let storageKey: StorageKey
    private let environment: ClockAndRandomness
    private let loaded = Mutex<[TenantID: ReceiptAuthority]>([:])

    init(database: any Database, storageKey: StorageKey, environment: ClockAndRandomness) {
        (self.database, self.storageKey, self.environment) = (database, storageKey, environment)
    }

    /// Returns a new pseudonym for the person of a session. The device uses it in receipts.
    ///
    /// - Throws: ``StorageError``, ``StorageKey/Failure``, or an error of the cryptography library.
    func subject(of issued: IssuedPrimaryRefreshToken, on device: Device) async throws -> String {
        try await authority(of: device.tenant).pseudonym(
            of: .init(user: issued.user.id, device: device.id, session: issued.session.id),
            nonce: environment.randomBytes(12))
    }

    /// Returns the data with which another machine can verify receipts from the organisation's devices.
    ///
    /// - Throws: ``StorageError``, ``StorageKey/Failure``, or an error of the cryptography library.
    package func trust(of tenant: TenantID, devices: DeviceAuthorities) async throws -> [UInt8] {
        let authority = try await authority(of: tenant)
        let anchors = try await database.read { try Anchors($0).newest(tenant: tenant) }
        return ReceiptTrust(
            tenant: tenant.rawValue, deviceAuthority: try await devices.authority(of: tenant).certificateBytes,
            anchorKey: authority.published,
            anchors: try anchors.map { anchor in
                guard let line = SignedLine(anchor.line) else {
                    throw StorageError(.unexpectedValue, "a stored countersignature cannot be read")
                }
                return line
            }
        ).bytes
    }

    /// Returns the organisation's keys.
    ///
    /// - Throws: ``StorageError``, ``StorageKey/Failure``, or an error of the cryptography library.
    func authority(of tenant: TenantID) async throws -> ReceiptAuthority {
        if let authority = loaded.withLock({ $0[tenant] }) { return authority }
        if let authority = try await stored(tenant) { return remember(authority, tenant) }
        let anchorKey = Array(P256.Signing.PrivateKey().derRepresentation)
        let sealedAnchorKey = try storageKey.seal(anchorKey, purpose: Self.anchorPurpose(tenant))
        let sealedSubjectKey = try storageKey.seal(environment.randomBytes(32), purpose: Self.subjectPurpose(tenant))
        let time = environment.now()
        try await database.write { connection in
            try connection.insert(
                into: StoredAuthority.self,
                [
                    .tenant: tenant, .sealedAnchorKey: sealedAnchorKey, .sealedSubjectKey: sealedSubjectKey,
                    .created: time,
                ], "ON CONFLICT (tenant) DO NOTHING")
        }
        // If two requests create keys at the same time, the keys that are written first are used.
        guard let authority = try await stored(tenant) else {
            throw StorageError(.unexpectedValue, "the keys for receipts are gone")
        }
        return remember(authority, tenant)
    }

    private func remember(_ authority: ReceiptAuthority, _ tenant: TenantID) -> ReceiptAuthority {
        loaded.withLock { $0[tenant] = authority }
        return authority
    }

    private func stored(_ tenant: TenantID) async throws -> ReceiptAuthority? {
        let row = try await database.read { connection in
            try connection.row(of: StoredAuthority.self, "WHERE tenant = \(tenant)")
        }
        return try row.map { row in
            try ReceiptAuthority(
                anchorKey: try storageKey.open(try row[.sealedAnchorKey], purpose: Self.anchorPurpose(tenant)),
                subjectKey: try storageKey.open(try row[.sealedSubjectKey], purpose: Self.subjectPurpose(tenant)),
                tenant: tenant)
        }
    }

    private static func anchorPurpose(_ tenant: TenantID) -> String { "receipt anchor key \(tenant)" }
    private static func subjectPurpose(_ tenant: TenantID) -> String { "receipt subject key \(tenant)" }
}

private enum StoredAuthority: Table {
    static let table = "receiptAuthority"
    enum Column: String, ColumnName { case tenant, sealedAnchorKey, sealedSubjectKey, created }
}
