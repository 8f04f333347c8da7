// SPDX-License-Identifier: Apache-2.0
internal import Hummingbird
internal import OAuth
internal import Storage

/// Dispatches requests that are signed with a session key or by a device. A request signed with a session key uses or
/// renews a PRT. A request signed by a device asks for a PRT, or for a token for the device itself. Each successful
/// response contains the nonce for the next request.
struct SignedRequestGrant: GrantHandler {
    let platform: Platform

    var grantTypes: [GrantType] { [.jwtBearer] }

    func respond(to request: TokenRequest) async throws -> Response {
        var response = try await reply(to: request)
        response.headers[.replayNonce] = platform.nonces.make()
        return response
    }

    private func reply(to request: TokenRequest) async throws -> Response {
        // Other servers use this grant type for assertions (RFC 7523), and Entra uses it for the on-behalf-of flow.
        guard request.form[ParameterName.request] != nil || request.form[ParameterName.assertion] == nil else {
            throw OAuthError.unsupportedAssertion
        }
        guard let dialect = PrimaryRefreshToken.Dialect(request.form) else { throw OAuthError.unsupportedDialect }
        let token = try CompactJWS(request: try request.form.required(.request))
        guard token.algorithm != .hs256 else {
            return try await RedeemPrimaryRefreshToken(platform: platform, dialect: dialect).respond(
                to: token, in: request)
        }
        let tenant = try await tenant(of: request, for: token)
        let proof = try await platform.deviceProofs.check(token, tenant: tenant.id)
        guard proof.device.isEnabled else { throw OAuthError.disabledDevice }
        return DeviceTokenRequest.isMeant(by: proof.claims)
            ? try await DeviceTokenIssue(platform: platform).respond(to: token, of: proof, in: tenant, request)
            : try await IssuePrimaryRefreshToken(platform: platform).respond(to: token, of: proof, in: tenant, request)
    }

    /// Returns the tenant in the URL or, if the URL names no tenant, the tenant in the device's certificate.
    private func tenant(of request: TokenRequest, for token: CompactJWS) async throws -> Tenant {
        if let tenant = request.tenant { return tenant }
        guard let certificate = try? token.certificates().first,
            let id = DeviceAuthority.tenant(namedBy: certificate),
            let tenant = try await platform.directoryCache.tenant(at: .id(id))
        else { throw OAuthError.ambiguousTenant }
        return tenant
    }
}
