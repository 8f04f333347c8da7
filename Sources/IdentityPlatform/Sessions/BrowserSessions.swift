// SPDX-License-Identifier: Apache-2.0
internal import Storage

enum BrowserSession: Table {
    static let table = "browserSession"
    enum Column: String, ColumnName { case tenant, hash, session, expires }
}

/// The browsers that are signed in: a cookie, of which only the hash is kept, bound to a session.
struct BrowserSessions {
    private let connection: any Connection

    init(_ connection: any Connection) { self.connection = connection }

    func begin(_ cookie: OpaqueToken, session: Session, expires: Timestamp) throws {
        try connection.insert(
            into: BrowserSession.self,
            [.tenant: session.tenant, .hash: cookie.hash, .session: session.id, .expires: expires])
    }

    /// The live session that a cookie stands for.
    func session(_ cookie: OpaqueToken, at time: Timestamp) throws -> Session? {
        let id: SessionID? = try connection.value(
            .session, of: BrowserSession.self,
            "WHERE tenant = \(cookie.tenant) AND hash = \(cookie.hash) AND expires > \(time)")
        return try id.flatMap { try Sessions(connection).live($0, tenant: cookie.tenant) }
    }

    /// Forgets a browser without ending its session: another sign-in takes its place.
    func forget(_ cookie: OpaqueToken) throws {
        try connection.execute("DELETE FROM browserSession WHERE tenant = \(cookie.tenant) AND hash = \(cookie.hash)")
    }
}
