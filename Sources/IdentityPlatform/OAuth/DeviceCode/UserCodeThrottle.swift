// SPDX-License-Identifier: Apache-2.0
internal import OAuth
internal import Storage

/// Limits guesses of user codes (RFC 8628 section 5.1). Counts wrong codes in the database, per person if someone is
/// signed in on the browser, otherwise per address. There is also a total count for all signed-in people and a total
/// count for everyone else, so that guesses by strangers do not lock out anyone who is signed in.
struct UserCodeThrottle: Sendable {
    let database: any Database
    let environment: ClockAndRandomness
    let storageKey: StorageKey
    let tenant: TenantID
    let peer: PeerAddress
    /// The browser's session, which identifies the person.
    let session: OpaqueToken?

    /// The limit for one person or one address.
    private static let own = ThrottleRule(burst: 10, interval: .seconds(30))
    /// The limit for all signed-in people of an organisation together. The same limit applies to everyone else
    /// together.
    private static let all = ThrottleRule(burst: 1000, interval: .seconds(2))

    /// Returns the device code that was typed, if it still waits for an answer. Otherwise counts a wrong code and
    /// returns nil.
    ///
    /// - Throws: ``OAuthError`` `tooManyCodes`, ``StorageError``
    func find(_ typed: String) async throws -> (code: UserCode, record: DeviceCode)? {
        let code = UserCode(typed: typed)
        let now = environment.now()
        let outcome = try await database.write { connection -> Result<DeviceCode?, OAuthError> in
            let counts = try counts(at: now, connection)
            guard try counts.admit(at: now) else { return .failure(.tooManyCodes) }
            if let code,
                let record = try DeviceCodes(connection).find(userCode: storageKey.hash(of: code), tenant: tenant),
                record.state == .pending, record.expires > now
            {
                return .success(record)
            }
            return try counts.add(at: now) ? .success(nil) : .failure(.tooManyCodes)
        }
        guard let code, let record = try outcome.get() else { return nil }
        return (code, record)
    }

    private func counts(at now: Timestamp, _ connection: any Connection) throws -> ThrottleCounts {
        let counts: [ThrottleCounts.Count] =
            if let person = try person(at: now, connection) {
                [
                    .init(kind: .userCodesOfPerson, key: person.bytes, rule: Self.own),
                    .init(kind: .userCodesOfPeople, key: [], rule: Self.all),
                ]
            } else {
                [
                    .init(kind: .userCodesOfAddress, key: Array(peer.key.utf8), rule: Self.own),
                    .init(kind: .userCodesOfStrangers, key: [], rule: Self.all),
                ]
            }
        return ThrottleCounts(connection: connection, tenant: tenant, storageKey: storageKey, counts: counts)
    }

    /// Returns the person signed in on the browser; nil if the browser has no valid session.
    private func person(at now: Timestamp, _ connection: any Connection) throws -> UserID? {
        guard let session, session.tenant == tenant,
            let known = try BrowserSessions(connection).session(session, at: now)
        else { return nil }
        do { return try LiveSession(known.id, tenant: tenant, connection).person.id } catch is OAuthError { return nil }
    }
}
