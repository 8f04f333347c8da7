// SPDX-License-Identifier: Apache-2.0
internal import OAuth
internal import Storage

/// Counts wrong user codes by address, in the database (RFC 8628 section 5.1): ten, then one in half a minute.
struct UserCodeThrottle: Sendable {
    let platform: Platform
    let tenant: TenantID
    let peer: PeerAddress

    private static let rule = ThrottleRule(burst: 10, interval: .seconds(30))
    private static let kind = "userCode"

    private var hash: [UInt8] { platform.storageKey.derived("throttled user code", Array(peer.key.utf8)) }

    /// Finds the code that somebody typed, if it still waits for an answer; counts a wrong one.
    ///
    /// - Throws: ``OAuthError`` `tooManyCodes`, ``StorageError``
    func find(_ typed: String) async throws -> (code: UserCode, record: DeviceCode)? {
        let code = UserCode(typed: typed)
        let now = platform.ambient.now()
        let outcome = try await platform.database.write { [self] connection -> Result<DeviceCode?, OAuthError> in
            let counts = ThrottleCounts(connection: connection, tenant: tenant, kind: Self.kind)
            guard let next = Self.rule.counting(try counts.drained(hash, at: now), at: now) else {
                return .failure(.tooManyCodes)
            }
            if let code,
                let record = try DeviceCodes(connection).find(userCode: platform.hash(of: code), tenant: tenant),
                record.state == .pending, record.expires > now
            {
                return .success(record)
            }
            try counts.set(hash, drained: next)
            return .success(nil)
        }
        guard let code, let record = try outcome.get() else { return nil }
        return (code, record)
    }
}
