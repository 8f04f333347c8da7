// SPDX-License-Identifier: Apache-2.0
internal import OAuth
internal import Storage

/// Bounds what anybody can have written by asking for device codes: by address, by client, and in all.
struct DeviceCodeThrottle: Sendable {
    let platform: Platform
    let tenant: TenantID
    let peer: PeerAddress

    /// One address, behind which many workers may sit.
    private static let address = ThrottleRule(burst: 60, interval: .seconds(5))
    private static let client = ThrottleRule(burst: 1000, interval: .seconds(1))
    /// The codes of one organisation that are kept at a time.
    private static let capacity = 10_000

    /// Counts a code that is about to be kept.
    ///
    /// - Throws: ``OAuthError`` `tooManyDeviceCodes`, ``StorageError``
    func admit(_ client: ClientID, at now: Timestamp, _ connection: any Connection) throws {
        let counts = ThrottleCounts(
            connection: connection, tenant: tenant, storageKey: platform.storageKey,
            counts: [
                .init(kind: .deviceCodesOfAddress, key: Array(peer.key.utf8), rule: Self.address),
                .init(kind: .deviceCodesOfClient, key: client.bytes, rule: Self.client),
            ])
        guard try counts.add(at: now) else { throw OAuthError.tooManyDeviceCodes }
        guard try kept(connection) >= Self.capacity else { return }
        try connection.execute("DELETE FROM deviceCode WHERE tenant = \(tenant) AND expires <= \(now)")
        guard try kept(connection) < Self.capacity else { throw OAuthError.tooManyDeviceCodes }
    }

    private func kept(_ connection: any Connection) throws -> Int {
        Int(try connection.row("SELECT COUNT(*) FROM deviceCode WHERE tenant = \(tenant)")?.integer(0) ?? 0)
    }
}
