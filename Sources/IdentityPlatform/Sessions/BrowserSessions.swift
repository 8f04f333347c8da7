// SPDX-License-Identifier: Apache-2.0
internal import Storage

enum BrowserSession: Table {
    static let table = "browserSession"
    enum Column: String, ColumnName { case tenant, hash, session, expires }
}

/// Access to the signed-in browsers in one transaction. Each browser has a cookie that is bound to a session. Only a
/// hash of the cookie is stored.
struct BrowserSessions {
    private let connection: any Connection

    init(_ connection: any Connection) { self.connection = connection }

    func begin(_ cookie: OpaqueToken, session: Session, expires: Timestamp) throws {
        try connection.insert(
            into: BrowserSession.self,
            [.tenant: session.tenant, .hash: cookie.hash, .session: session.id, .expires: expires])
    }

    /// Returns the session that a cookie is bound to; nil if the cookie has expired or the session has ended.
    func session(_ cookie: OpaqueToken, at time: Timestamp) throws -> Session? {
        let id: SessionID? = try connection.value(
            .session, of: BrowserSession.self,
            "WHERE tenant = \(cookie.tenant) AND hash = \(cookie.hash) AND expires > \(time)")
        return try id.flatMap { try Sessions(connection).live($0, tenant: cookie.tenant) }
    }

    /// Removes a browser session that a new sign-in replaces. Does not end the session to which the browser session is
    /// bound.
    func forget(_ cookie: OpaqueToken) throws {
        try connection.execute("DELETE FROM browserSession WHERE tenant = \(cookie.tenant) AND hash = \(cookie.hash)")
    }
}
