// SPDX-License-Identifier: Apache-2.0
internal import Hummingbird
internal import OAuth
internal import Storage

/// Finds the person who is signed in on a browser.
struct SignedInBrowser: Sendable {
    let database: any Database
    let environment: ClockAndRandomness

    /// Returns the session that a request's cookie is bound to, and its person; nil if nobody is signed in. In a shared
    /// device's browser, a session of another person, device or epoch does not count.
    func present(_ request: Request, tenant: Tenant) async throws -> (Session, User)? {
        guard let cookie = HostCookie.session.value(in: request).flatMap(OpaqueToken.init), cookie.tenant == tenant.id
        else { return nil }
        let (now, browser) = (environment.now(), BrowserID(request))
        return try await database.read { connection -> (Session, User)? in
            guard let session = try BrowserSessions(connection).session(cookie, at: now) else { return nil }
            if let browser, try !DeviceBrowsers(connection).admits(session, in: browser) { return nil }
            do {
                let live = try LiveSession(session.id, tenant: tenant.id, connection)
                return (live.session, live.person)
            } catch is OAuthError {
                return nil
            }
        }
    }
}
