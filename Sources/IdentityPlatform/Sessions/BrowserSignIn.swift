// SPDX-License-Identifier: Apache-2.0
internal import OAuth
internal import Storage

/// A sign-in with a password in a browser, as part of the transaction that uses the password.
struct BrowserSignIn: Sendable {
    let session: SessionID
    let cookie: OpaqueToken
    let browser: BrowserID
    /// The browser session that this one replaces.
    let former: OpaqueToken?
    let client: ClientID
    let method: SignInMethod

    /// Begins the session and the browser session; returns nil if the password is no longer valid. In a device's
    /// browser, the session is bound to that device and epoch.
    ///
    /// - Parameter allow: throws if the request is for another person. In that case no session begins.
    /// - Throws: ``OAuthError`` if the browser belongs to another person on a shared device, or to an epoch that has
    ///   ended; ``StorageError``, or the error of `allow`.
    func begin(
        _ checked: CheckedPassword, by signIns: BrowserSignIns, at now: Timestamp, in connection: any Connection,
        allow: (User) throws -> Void = { _ in }
    ) throws -> (User, Session)? {
        guard let user = try signIns.passwords.confirm(checked, at: now, connection) else { return nil }
        try allow(user)
        let binding = try DeviceBrowsers(connection).binding(of: browser, holding: former, at: now)
        if let binding, binding.device.isShared, !binding.isOf(user) { throw OAuthError.otherPersonOnDevice }
        var begun = try Sessions(connection).begin(
            session, user: user, methods: [AuthenticationMethod.password], in: browser, at: now)
        if let binding, binding.isOf(user) { begun = try bind(begun, to: binding, connection) }
        if let former { try BrowserSessions(connection).forget(former) }
        try BrowserSessions(connection).begin(
            cookie, session: begun, expires: now + signIns.lifetime)
        try AuditLog(connection).append(
            AuditLine(
                .signIn, tenant: user.tenant, actor: user.id.rawValue, subject: client.rawValue, method: method, at: now
            ))
        return (user, begun)
    }

    private func bind(
        _ session: Session, to binding: BrowserBinding, _ connection: any Connection
    ) throws -> Session {
        let sessions = Sessions(connection)
        guard
            try sessions.bind(
                session.id, tenant: session.tenant, to: binding.device, epochCounter: binding.epochCounter),
            let bound = try sessions.find(session.id, tenant: session.tenant)
        else { throw OAuthError.badGrant }
        return bound
    }
}
