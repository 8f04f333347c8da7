// SPDX-License-Identifier: Apache-2.0
internal import Hummingbird
internal import OAuth
internal import Storage

/// Dispatches requests that are signed with a session key or by a device. A request signed with a session key uses or
/// renews a PRT. A request signed by a device asks for a PRT, or for a token for the device itself. Each successful
/// response contains the nonce for the next request.
struct SignedRequestGrant: GrantHandler {
    let directory: DirectoryCache
    let nonces: Nonces
    let proofs: DeviceProofs
    let metrics: IdentityMetrics
    let redeeming: RedeemPrimaryRefreshToken
    let issuing: IssuePrimaryRefreshToken
    let deviceTokens: DeviceTokenIssue

    init(_ platform: Platform) {
        (directory, nonces) = (platform.directoryCache, platform.nonces)
        (proofs, metrics) = (platform.deviceProofs, platform.metrics)
        (redeeming, issuing) = (RedeemPrimaryRefreshToken(platform), IssuePrimaryRefreshToken(platform))
        deviceTokens = DeviceTokenIssue(
            database: platform.database, nonces: platform.nonces, keys: platform.keys, issuer: platform.issuer,
            resources: platform.resources)
    }

    var grantTypes: [GrantType] { [.jwtBearer] }

    func respond(to request: TokenRequest) async throws -> Response {
        var response = try await reply(to: request)
        response.headers[.replayNonce] = nonces.make()
        return response
    }

    /// The kind of a request, with the results of the check that determined it.
    private enum Checked {
        case primary(PrimaryRefreshToken.Dialect)
        case device(DeviceProof, Tenant)
    }

    private func reply(to request: TokenRequest) async throws -> Response {
        let (token, checked): (CompactJWS, Checked)
        do { (token, checked) = try await check(request) } catch {
            metrics.count(.signedRequest, IdentityMetrics.Outcome(error))
            throw error
        }
        switch checked {
        case .primary(let dialect):
            return try await metrics.grant(.primaryUse) {
                try await redeeming.respond(to: token, by: dialect, in: request)
            }
        case .device(let proof, let tenant) where DeviceTokenGrantRequest.isMeant(by: proof.claims):
            return try await metrics.grant(.deviceToken) {
                try await deviceTokens.respond(to: token, of: proof, in: tenant, request)
            }
        case .device(let proof, let tenant):
            return try await metrics.grant(.primaryIssue) {
                try await issuing.respond(to: token, of: proof, in: tenant, request)
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
        let proof = try await proofs.check(token, tenant: tenant.id)
        guard proof.device.isEnabled else { throw OAuthError.disabledDevice }
        return (token, .device(proof, tenant))
    }

    /// Returns the tenant in the URL or, if the URL names no tenant, the tenant in the device's certificate.
    private func tenant(of request: TokenRequest, for token: CompactJWS) async throws -> Tenant {
        if let tenant = request.tenant { return tenant }
        guard let certificate = try? token.certificates().first,
            let id = DeviceAuthority.tenant(namedBy: certificate),
            let tenant = try await directory.tenant(at: .id(id))
        else { throw OAuthError.ambiguousTenant }
        return tenant
    }
}
