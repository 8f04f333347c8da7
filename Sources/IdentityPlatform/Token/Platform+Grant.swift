// SPDX-License-Identifier: Apache-2.0
internal import OAuth
package import Storage

extension Platform {
    /// Puts together what tokens of a session say, if session and person are still good.
    ///
    /// - Throws: ``OAuthError``, ``StorageError``
    package func grant(
        _ session: SessionID, client: Client, scope: GrantedScope, nonce: String? = nil, claims: ClaimsRequest = .none,
        _ connection: any Connection
    ) throws -> Grant {
        guard let session = try Sessions(connection).live(session, tenant: client.tenant),
            let tenant = try Tenants(connection).find(client.tenant),
            let user = try Users(connection).find(session.user, tenant: client.tenant)
        else { throw OAuthError.badGrant }
        guard user.isEnabled else { throw OAuthError.disabledUser }
        return Grant(
            tenant: tenant, user: user, roles: try RoleMembers(connection).roles(of: user.id, tenant: tenant.id),
            client: client, session: session, scope: scope, nonce: nonce, claims: claims)
    }
}
