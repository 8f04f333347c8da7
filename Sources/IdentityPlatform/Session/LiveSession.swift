// SPDX-License-Identifier: Apache-2.0
internal import OAuth
package import Storage

/// A session that was judged good in this transaction, with whom and what it belongs to.
package struct LiveSession: Sendable {
    package let session: Session
    package let person: User
    package let device: Device?

    /// Looks the session up and judges it.
    ///
    /// - Throws: ``OAuthError``, ``StorageError``
    package init(_ id: SessionID, tenant: TenantID, _ connection: any Connection) throws {
        guard let session = try Sessions(connection).find(id, tenant: tenant) else { throw OAuthError.badGrant }
        let person = try Users(connection).find(session.user, tenant: tenant)
        let device = try session.device.flatMap { try Devices(connection).find($0.id, tenant: tenant) }
        if let refusal = SessionRule.refusal(of: session, person: person, device: device) { throw refusal }
        guard let person else { throw OAuthError.badGrant }
        (self.session, self.person, self.device) = (session, person, device)
    }
}
