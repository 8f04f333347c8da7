// SPDX-License-Identifier: Apache-2.0
internal import Hummingbird
internal import OAuth
internal import Storage

/// Answers a client's poll, and redeems the device code once the person has approved it (RFC 8628 section 3.4).
struct DeviceCodeGrant: GrantHandler {
    let tokens: TokenTransactions
    let issuer: TokenIssuer
    let environment: ClockAndRandomness

    var grantTypes: [GrantType] { [.deviceCode] }

    func respond(to request: TokenRequest) async throws -> Response {
        let form = request.form
        // Clients of the version 1 endpoint, and one client of version 2, call the parameter `code`.
        guard let text = form[ParameterName.deviceCode] ?? form[ParameterName.code] else {
            throw OAuthError.missing(.deviceCode)
        }
        guard let code = OpaqueToken(text) else { throw OAuthError.badDeviceCode }
        _ = try request.tenant(of: code)
        let redemption = DeviceCodeRedemption(
            code: code, credentials: try request.credentials(), resource: form[ParameterName.resource],
            claims: try ClaimsRequest(parsing: form[ParameterName.claims]), version: request.version,
            family: TokenFamilyID(environment))
        let outcome = try await tokens.write { try redemption.answer(in: $0) }
        return Response(
            json: try await issuer.reply(try outcome.get(), withClientInfo: form.wantsClientInfo))
    }
}

/// One poll by a client with its device code.
private struct DeviceCodeRedemption: Sendable {
    let code: OpaqueToken
    let credentials: ClientCredentials
    let resource: String?
    let claims: ClaimsRequest
    let version: TokenVersion
    let family: TokenFamilyID

    /// Returns the result for the client. Refusals of the code are returned, not thrown, because the time of the poll
    /// must be committed.
    func answer(in transaction: TokenTransaction) throws -> Result<IssuedGrant, OAuthError> {
        let (now, connection) = (transaction.now, transaction.connection)
        let codes = DeviceCodes(connection)
        let client = try transaction.client(credentials, tenant: code.tenant)
        guard let record = try codes.find(code), record.client == client.id else { return .failure(.badDeviceCode) }
        guard record.expires > now else { return .failure(.expiredDeviceCode) }
        switch record.state {
        case .redeemed: return .failure(.badDeviceCode)
        case .declined: return .failure(.declined)
        case .pending:
            try codes.setPolled(code, at: now)
            // Some clients give up if the server tells them to slow down. Therefore, only a client that polls more than
            // twice as often as agreed gets this error.
            let pause = transaction.configuration.lifetimes.devicePolling / 2
            return .failure(record.polled.map { now < $0 + pause } == true ? .slowDown : .authorizationPending)
        case .approved(let session):
            let scope = try transaction.resources.grant(
                scope: nil, resource: resource, before: record.scope, to: client)
            let issued = try transaction.begin(
                family: family,
                with: transaction.grant(session, client: client, scope: scope, claims: claims, version: version))
            guard try codes.redeem(code, at: now) else { return .failure(.badDeviceCode) }
            return .success(issued)
        }
    }
}
