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

    /// The kind of a request, with what was checked to find it out.
    private enum Checked {
        case primary(PrimaryRefreshToken.Dialect)
        case device(DeviceProof, Tenant)
    }

    private func reply(to request: TokenRequest) async throws -> Response {
        let (token, checked): (CompactJWS, Checked)
        do { (token, checked) = try await check(request) } catch {
            platform.metrics.count(.signedRequest, IdentityMetrics.Outcome(error))
            throw error
        }
        switch checked {
        case .primary(let dialect):
            return try await platform.metrics.grant(.primaryUse) {
                try await RedeemPrimaryRefreshToken(platform: platform, dialect: dialect).respond(
                    to: token, in: request)
            }
        case .device(let proof, let tenant) where DeviceTokenRequest.isMeant(by: proof.claims):
            return try await platform.metrics.grant(.deviceToken) {
                try await DeviceTokenIssue(platform: platform).respond(to: token, of: proof, in: tenant, request)
            }
        case .device(let proof, let tenant):
            return try await platform.metrics.grant(.primaryIssue) {
                try await IssuePrimaryRefreshToken(platform: platform).respond(
                    to: token, of: proof, in: tenant, request)
            }
        }
    }

    private func check(_ request: TokenRequest) async throws -> (CompactJWS, Checked) {
        // Other servers use this grant type for assertions (RFC 7523), and Entra uses it for the on-behalf-of flow.
        guard request.form[ParameterName.request] != nil || request.form[ParameterName.assertion] == nil else {
            throw OAuthError.unsupportedAssertion
        }
        guard let dialect = PrimaryRefreshToken.Dialect(request.form) else { throw OAuthError.unsupportedDialect }
        let token = try CompactJWS(request: try request.form.required(.request))
        guard token.algorithm != .hs256 else { return (token, .primary(dialect)) }
        let tenant = try await tenant(of: request, for: token)
        let proof = try await platform.deviceProofs.check(token, tenant: tenant.id)
        guard proof.device.isEnabled else { throw OAuthError.disabledDevice }
        return (token, .device(proof, tenant))
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
