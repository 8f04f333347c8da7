// SPDX-License-Identifier: Apache-2.0
package import BrokerProtocol

/// The part of a token response that is the same for all tokens of an account: the account, its tenant profile and the
/// authority that issued the tokens.
struct TokenOwner: Sendable {
    let account: MSALAccount
    let tenantProfile: MSALTenantProfile
    let authority: MSALAADAuthority

    /// Reads the owner from a token response of the broker, which has already checked the id token.
    ///
    /// - Throws: `BrokerError` if the authority, the client info or the id token cannot be read.
    init(_ response: TokenResponse) throws(BrokerError) {
        guard let url = URL(string: response.authority), let address = try? AuthorityURL(url) else {
            throw .unreadable("authority")
        }
        let owner = try ClaimSet(base64URL: response.clientInfo, name: "client_info")
        let claims = try ClaimSet(payloadOf: response.idToken)
        guard let object = owner["uid"], let home = owner["utid"], !object.isEmpty, !home.isEmpty else {
            throw .unreadable("client_info")
        }
        authority = MSALAADAuthority(normalized: address.normalized)
        tenantProfile = MSALTenantProfile(claims, environment: authority.host, home: home)
        account = MSALAccount(
            identifier: "\(object).\(home)", username: claims["preferred_username"] ?? claims["upn"],
            environment: authority.host,
            accountClaims: tenantProfile.isHomeTenantProfile ? tenantProfile.claims : nil, isSSOAccount: true)
    }
}

extension MSALTenantProfile {
    /// Makes the profile for the tenant that issued the id token (ACC-4).
    convenience init(_ claims: ClaimSet, environment: String, home: String) {
        let tenant = claims["tid"]
        self.init(
            identifier: claims["oid"] ?? claims["sub"], environment: environment, tenantId: tenant,
            isHomeTenantProfile: tenant?.lowercased() == home.lowercased(), claims: claims.forApps)
    }
}

extension MSALResult {
    /// Makes a result from a token response of the broker.
    ///
    /// - Throws: the errors of ``TokenOwner/init(_:)``.
    package convenience init(_ response: TokenResponse, correlation: UUID) throws(BrokerError) {
        self.init(response, owner: try TokenOwner(response), correlation: correlation)
    }

    /// Makes a result from a token response of the broker and the owner that was read from it.
    convenience init(_ response: TokenResponse, owner: TokenOwner, correlation: UUID) {
        self.init(
            accessToken: response.accessToken, account: owner.account,
            expiresOn: Date(timeIntervalSince1970: Double(response.expiresOn)), idToken: response.idToken,
            scopes: response.scopes, tenantProfile: owner.tenantProfile, authority: owner.authority,
            correlationId: correlation)
    }
}
