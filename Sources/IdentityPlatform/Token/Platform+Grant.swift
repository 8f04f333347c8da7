// SPDX-License-Identifier: Apache-2.0
internal import OAuth
package import Storage

extension Platform {
    /// Puts together what tokens of a session say, if ``SessionRule`` lets it.
    ///
    /// - Throws: ``OAuthError``, ``StorageError``
    package func grant(
        _ session: SessionID, client: Client, scope: GrantedScope, nonce: String? = nil, claims: ClaimsRequest = .none,
        _ connection: any Connection
    ) throws -> Grant {
        let live = try LiveSession(session, tenant: client.tenant, connection)
        guard let tenant = try Tenants(connection).find(client.tenant) else { throw OAuthError.badGrant }
        return Grant(
            tenant: tenant, user: live.person,
            roles: try RoleMembers(connection).roles(of: live.person.id, tenant: tenant.id),
            client: client, session: live.session, scope: scope, nonce: nonce, claims: claims)
    }
}
