// SPDX-License-Identifier: Apache-2.0
internal import OAuth
internal import Receipts
package import Storage

extension Platform {
    /// What a device's receipts call the person of a session.
    ///
    /// - Throws: ``StorageError``, ``StorageKey/Failure``, or the library's error.
    func receiptSubject(of issued: IssuedPrimaryRefreshToken, on device: Device) async throws -> String {
        try await receiptAuthorities.authority(of: device.tenant).pseudonym(
            of: .init(user: issued.user.id, device: device.id, session: issued.session.id),
            nonce: environment.randomBytes(12))
    }

    /// What receipts of the organisation's devices are judged by on another machine.
    ///
    /// - Throws: ``StorageError``, ``StorageKey/Failure``, or the library's error.
    package func receiptTrust(of tenant: TenantID) async throws -> [UInt8] {
        let authority = try await receiptAuthorities.authority(of: tenant)
        let anchors = try await database.read { try Anchors($0).newest(tenant: tenant) }
        return ReceiptTrust(
            tenant: tenant.rawValue,
            deviceAuthority: try await deviceAuthorities.authority(of: tenant).certificateBytes,
            anchorKey: authority.published, anchors: anchors.compactMap { SignedLine($0.line) }
        ).bytes
    }
}

extension OAuthError {
    static let receiptsForked = OAuthError(
        .invalidRequest, number: 5_000_619,
        description: "Another receipt of this number, or a later one, was countersigned before. See the audit log.")
}
