// SPDX-License-Identifier: Apache-2.0
internal import OAuth
internal import Storage

/// Limits how many device codes are stored, per address and in total.
///
/// There is no limit per client. Requests for a public client's code are not authenticated, so strangers could exhaust
/// such a limit and deny codes to everyone else.
struct DeviceCodeThrottle: Sendable {
    let storageKey: StorageKey
    let tenant: TenantID
    let peer: PeerAddress

    /// The limit for one address, which many workers may share.
    private static let address = ThrottleRule(burst: 60, interval: .seconds(5))
    /// The limit for one address while at least half of the capacity is used.
    private static let scarce = ThrottleRule(burst: 5, interval: .seconds(180))
    /// The maximum number of codes stored for one organisation.
    private static let capacity = 10_000

    /// Counts a code that is about to be stored.
    ///
    /// - Throws: ``OAuthError`` `tooManyDeviceCodes`, ``StorageError``
    func admit(at now: Timestamp, _ connection: any Connection) throws {
        try count(.deviceCodesOfAddress, by: Self.address, at: now, connection)
        guard try kept(connection) >= Self.capacity / 2 else { return }
        try connection.execute("DELETE FROM deviceCode WHERE tenant = \(tenant) AND expires <= \(now)")
        let kept = try kept(connection)
        guard kept < Self.capacity else { throw OAuthError.tooManyDeviceCodes }
        if kept >= Self.capacity / 2 {
            try count(.deviceCodesWhenScarce, by: Self.scarce, at: now, connection)
        }
    }

    private func count(
        _ kind: ThrottleCounts.Kind, by rule: ThrottleRule, at now: Timestamp, _ connection: any Connection
    ) throws {
        let counts = ThrottleCounts(
            connection: connection, tenant: tenant, storageKey: storageKey,
            counts: [.init(kind: kind, key: Array(peer.key.utf8), rule: rule)])
        guard try counts.add(at: now) else { throw OAuthError.tooManyDeviceCodes }
    }

    private func kept(_ connection: any Connection) throws -> Int {
        try connection.count(of: DeviceCode.self, "WHERE tenant = \(tenant)")
    }
}
