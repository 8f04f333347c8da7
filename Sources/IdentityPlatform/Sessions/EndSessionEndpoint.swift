// SPDX-License-Identifier: Apache-2.0
internal import HTTPTypes
internal import Hummingbird
internal import Logging
internal import OAuth
internal import Storage

/// `POST /{tenant}/oauth2/v2.0/device/endsession` (specific to Baton): a device reports that a session on it has ended.
///
/// A repeated report is not an error, because the device repeats its report until it gets a response. A session that is
/// unknown or belongs to another device is not an error either, so that a device cannot learn about other devices'
/// sessions. The report does not end such a session.
struct EndSessionEndpoint: Sendable {
    let database: any Database
    let environment: ClockAndRandomness
    let directory: DirectoryCache
    let proofs: DeviceProofs

    func addRoutes(to router: Router<IdentityContext>) {
        router.post("/{tenant}/oauth2/v2.0/device/endsession", use: respond)
    }

    @Sendable private func respond(_ request: Request, _ context: IdentityContext) async throws -> Response {
        let form = try await request.form(limit: context.maxUploadSize)
        let tenant = try await directory.oneTenant(in: context)
        // A disabled device may still report that a session ended, because the report only reduces the access of the
        // device.
        let end = try await proofs.read(
            EndSessionRequest.self, in: try form.required(.request), tenant: tenant.id, for: .endSession)
        let outcome = try await database.write { connection in
            try end.acceptance.record(in: connection)
            return try conclude(end.call, of: end.device, tenant: tenant.id, at: environment.now(), connection)
        }
        context.logger.info("session ended by its device", metadata: ["session.outcome": "\(outcome)"])
        var body = MembersWriter()
        body.set(ReplyName.ended, true)
        return Response(json: body)
    }
}

private enum Outcome: Sendable {
    case ended, unknown
}

private func conclude(
    _ end: EndSessionRequest, of device: DeviceID, tenant: TenantID, at time: Timestamp, _ connection: any Connection
) throws -> Outcome {
    let (devices, sessions) = (Devices(connection), Sessions(connection))
    let present = try devices.find(device, tenant: tenant)
    let ahead = AheadDevices(connection)
    if let present, try ahead.isLost(end.sessionID, in: end.epoch, of: present) {
        try ahead.record(device, tenant: tenant, proof: "epoch \(end.epoch.counter)", at: time)
    }
    // The epoch ended with the session. No further session can begin in this epoch or in an earlier one.
    if EpochRule.judge(end.epoch, highest: present?.epoch, isClosed: false) != .stale {
        try devices.setEpoch(end.epoch, isClosed: true, device, tenant: tenant)
    }
    // This includes a session whose id the device does not know because the device lost power or did not receive the
    // response.
    try devices.endSessions(of: device, tenant: tenant, upTo: end.epoch, at: time, by: device.rawValue)
    guard let id = SessionID(rawValue: end.sessionID), let session = try sessions.find(id, tenant: tenant),
        session.device?.id == device
    else { return .unknown }
    try sessions.end(id, tenant: tenant, at: time, because: .ended, by: device.rawValue)
    return .ended
}
