// SPDX-License-Identifier: Apache-2.0
internal import Storage

/// The browsers that are signed in: a cookie, of which only the hash is kept, bound to a session.
struct BrowserSessions {
    private let connection: any Connection

    init(_ connection: any Connection) { self.connection = connection }

    func begin(_ cookie: OpaqueToken, session: Session, expires: Timestamp) throws {
        try connection.execute(
            """
            INSERT INTO browserSession (tenant, hash, session, expires)
            VALUES (\(session.tenant), \(cookie.hash), \(session.id), \(expires))
            """)
    }

    /// The live session that a cookie stands for.
    func session(_ cookie: OpaqueToken, at time: Timestamp) throws -> Session? {
        let row = try connection.row(
            """
            SELECT session FROM browserSession
            WHERE tenant = \(cookie.tenant) AND hash = \(cookie.hash) AND expires > \(time)
            """)
        guard let row else { return nil }
        return try Sessions(connection).live(try row.value(0), tenant: cookie.tenant)
    }

    /// Forgets a browser without ending its session: another sign-in takes its place.
    func forget(_ cookie: OpaqueToken) throws {
        try connection.execute("DELETE FROM browserSession WHERE tenant = \(cookie.tenant) AND hash = \(cookie.hash)")
    }
}
