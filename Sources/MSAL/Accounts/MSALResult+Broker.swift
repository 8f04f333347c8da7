// SPDX-License-Identifier: Apache-2.0
package import BrokerProtocol
internal import JSON

extension MSALResult {
    /// Makes a result from a token response of the broker, which has already checked the id token.
    ///
    /// - Throws: `BrokerError` if the authority, the client info or the id token cannot be read.
    package convenience init(_ response: TokenResponse, correlation: UUID) throws(BrokerError) {
        guard let url = URL(string: response.authority), let address = try? AuthorityURL(url) else {
            throw .unreadable("authority")
        }
        let owner = try ClaimSet(base64URL: response.clientInfo, name: "client_info")
        let claims = try ClaimSet(payloadOf: response.idToken)
        guard let object = owner["uid"], let home = owner["utid"], !object.isEmpty, !home.isEmpty else {
            throw .unreadable("client_info")
        }
        let authority = MSALAADAuthority(normalized: address.normalized)
        let profile = MSALTenantProfile(claims, environment: authority.host, home: home)
        self.init(
            accessToken: response.accessToken,
            account: MSALAccount(
                identifier: "\(object).\(home)", username: claims["preferred_username"] ?? claims["upn"],
                environment: authority.host, accountClaims: profile.isHomeTenantProfile ? profile.claims : nil,
                isSSOAccount: true),
            expiresOn: Date(timeIntervalSince1970: Double(response.expiresOn)), idToken: response.idToken,
            scopes: response.scopes, tenantProfile: profile, authority: authority, correlationId: correlation)
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

extension MSALAuthority {
    /// The host of the identity platform.
    var host: String { url.host ?? "" }
}
