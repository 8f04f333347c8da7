// SPDX-License-Identifier: Apache-2.0
internal import OAuth
package import Storage

/// A verified bearer token: of a person, or of an application that acts for itself.
package enum BearerToken: Sendable {
    case person(AccessToken)
    case application(ApplicationToken)
}

/// A token of an application that acts for itself, which one of the platform's own resources has verified.
package struct ApplicationToken: Sendable {
    package let tenant: TenantID
    package let client: ClientID
    /// Those permissions in the token that the application still has.
    package let permissions: [String]
    package let issued: Timestamp

    /// The value of `idtyp` in these tokens.
    static let identityType = "app"

    /// The application's name as the actor of an entry in the audit log: `client:` and the client id. An object id alone
    /// always means a person.
    package var auditName: String { Self.auditName(of: client) }

    static func auditName(of client: ClientID) -> String { "\(auditPrefix)\(client)" }

    /// The beginning of ``auditName``.
    package static let auditPrefix = "client:"
}

extension ApplicationToken {
    /// Checks again, in the transaction of an act, that the application is enabled and still has its permissions.
    ///
    /// - Throws: ``AccessTokens/Refusal``, ``StorageError``
    package func confirm(_ connection: any Connection) throws {
        guard try Clients(connection).find(client, tenant: tenant)?.isEnabled == true else {
            throw AccessTokens.Refusal.ended
        }
        let granted = try ApplicationPermissions(connection).names(of: client, tenant: tenant)
        guard permissions.allSatisfy(granted.contains) else { throw AccessTokens.Refusal.ended }
    }
}

extension AccessTokens {
    /// Verifies the token in an `Authorization` header, which a person or an application may have sent
    /// (``check(authorization:for:)``). Only a resource that has rules for applications may call this method.
    ///
    /// - Throws: ``Refusal``, ``StorageError``
    package func bearer(authorization: String?, for resource: Resource) async throws -> BearerToken {
        let text = try Self.bearer(authorization)
        let (token, claims) = try parse(text)
        // The claim is not trusted yet. Each kind of token is verified by its own rules.
        guard try self.text(claims, .identityType) == ApplicationToken.identityType else {
            return .person(try await check(text, for: [resource]))
        }
        return .application(try await application(token, claims, for: resource))
    }

    private func application(
        _ token: CompactJWS, _ claims: Members, for resource: Resource
    ) async throws -> ApplicationToken {
        guard let tenant = TenantID(rawValue: try text(claims, .tenantID)),
            let client = ClientID(rawValue: try text(claims, .appID)),
            let roles = try? claims.strings(ClaimName.roles), let issued = try? claims.integer(ClaimName.issuedAt)
        else { throw Refusal.malformed }
        try await verify(token, tenant)
        try judge(claims, of: tenant, for: [resource])
        let view = directoryCache.view
        return try await database.read { connection in
            try judgeTime(of: claims)
            guard try issuer.keys.isPublished(token.keyID, by: tenant, connection) else { throw Refusal.signature }
            guard try Clients(connection, view).find(client, tenant: tenant)?.isEnabled == true else {
                throw Refusal.ended
            }
            let granted = try ApplicationPermissions(connection).names(of: client, tenant: tenant)
            return ApplicationToken(
                tenant: tenant, client: client, permissions: roles.filter(granted.contains),
                issued: Timestamp(seconds: Int64(issued)))
        }
    }
}
