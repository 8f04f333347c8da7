// SPDX-License-Identifier: Apache-2.0
internal import Storage

/// A browser's sign-in by password, as part of the transaction of what follows from it.
struct BrowserSignIn: Sendable {
    let session: SessionID
    let cookie: OpaqueToken
    /// The browser session that this one takes the place of.
    let former: OpaqueToken?
    let client: ClientID
    let door: SignInDoor

    /// Begins session and browser session; nil where the password is the person's no more.
    ///
    /// - Parameter allow: throws where the request is for somebody else; then nothing has begun.
    /// - Throws: ``StorageError``, or what `allow` throws.
    func begin(
        _ checked: CheckedPassword, _ platform: Platform, at now: Timestamp, _ connection: any Connection,
        allow: (User) throws -> Void = { _ in }
    ) throws -> (User, Session)? {
        guard let user = try platform.passwords.confirm(checked, at: now, connection) else { return nil }
        try allow(user)
        let begun = try Sessions(connection).begin(
            session, user: user, methods: [AuthenticationMethod.password], at: now)
        if let former { try BrowserSessions(connection).forget(former) }
        try BrowserSessions(connection).begin(
            cookie, session: begun, expires: now + platform.configuration.lifetimes.browserSession)
        try AuditLog(connection).append(
            .signIn, tenant: user.tenant, actor: user.id.rawValue, subject: client.rawValue, door: door, at: now)
        return (user, begun)
    }
}
