// SPDX-License-Identifier: Apache-2.0
internal import HTTPTypes
internal import Hummingbird
internal import Logging
internal import OAuth
internal import Storage

/// `POST /{tenant}/oauth2/v2.0/device/endsession` (Baton's own): a device says that a session has ended there.
///
/// Saying it again is no error, nor is a session that the server does not know: the device asks until it is heard.
struct EndSessionEndpoint: Sendable {
    let platform: Platform

    func addRoutes(to router: Router<IdentityContext>) {
        router.post("/{tenant}/oauth2/v2.0/device/endsession", use: respond)
    }

    @Sendable private func respond(_ request: Request, _ context: IdentityContext) async throws -> Response {
        let form = try await request.form(limit: context.maxUploadSize)
        let tenant = try await platform.oneTenant(in: context)
        let token = try CompactJWS(request: try form.required(.request))
        // A disabled device may still say that a session ended: it gives power away, nothing else.
        let proof = try await platform.deviceProof(token, tenant: tenant.id)
        guard let end = try? EndSessionRequest(proof.claims) else { throw OAuthError.malformedSignedRequest }
        try judge(end, proof.device, tenant)
        try platform.nonces.accept(end.nonce, signed: token.signingInput, for: .endSession)
        let outcome = try await platform.database.write { [platform] connection in
            try conclude(end, proof.device.id, tenant.id, at: platform.ambient.now(), connection)
        }
        guard outcome != .foreign else { return forbidden(request) }
        context.logger.info("session ended by its device", metadata: ["session.outcome": "\(outcome)"])
        var body = MembersWriter()
        body.set(ReplyName.ended, true)
        return Response(json: body)
    }

    private func judge(_ end: EndSessionRequest, _ device: Device, _ tenant: Tenant) throws(OAuthError) {
        let names = platform.configuration.names
        let address = names.origin(of: names.login) + EndpointPath.endSession(tenant: tenant.id.rawValue)
        guard end.audience == address, end.deviceID == device.id.rawValue else { throw .wrongSignature }
    }

    private func forbidden(_ request: Request) -> Response {
        var response = OAuthError.foreignSession.response(platform.ambient, correlation: request.correlation)
        response.status = .forbidden
        return response
    }
}

private enum Outcome: Sendable {
    case ended, unknown, foreign
}

private func conclude(
    _ end: EndSessionRequest, _ device: DeviceID, _ tenant: TenantID, at time: Timestamp, _ connection: any Connection
) throws -> Outcome {
    let (devices, sessions) = (Devices(connection), Sessions(connection))
    if EpochRule.judge(end.epoch, highest: try devices.find(device, tenant: tenant)?.epoch) == .enter {
        try devices.setEpoch(end.epoch, device, tenant: tenant)
    }
    guard let id = SessionID(rawValue: end.sessionID), let session = try sessions.find(id, tenant: tenant) else {
        return .unknown
    }
    guard session.device == nil || session.device?.id == device else { return .foreign }
    try PrimaryRefreshTokens(connection).remove(session: id, tenant: tenant)
    if try sessions.end(id, tenant: tenant, at: time) {
        try AuditLog(connection).append(
            .sessionEnded, tenant: tenant, actor: device.rawValue, subject: id.rawValue, at: time)
    }
    return .ended
}
