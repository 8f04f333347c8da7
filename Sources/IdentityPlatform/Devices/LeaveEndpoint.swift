// SPDX-License-Identifier: Apache-2.0
internal import Hummingbird
internal import Logging
internal import OAuth
internal import Storage

/// `POST /{tenant}/oauth2/v2.0/device/leave` (specific to Baton): a device removes itself from the directory with a
/// request signed with its key. The request is equivalent to the DELETE request of device registration; it is meant for
/// keys that cannot be used in a TLS handshake.
struct LeaveEndpoint: Sendable {
    let database: any Database
    let environment: ClockAndRandomness
    let directory: DirectoryCache
    let proofs: DeviceProofs

    func addRoutes(to router: Router<IdentityContext>) {
        router.post("/{tenant}/oauth2/v2.0/device/leave", use: respond)
    }

    @Sendable private func respond(_ request: Request, _ context: IdentityContext) async throws -> Response {
        let form = try await request.form(limit: context.maxUploadSize)
        let tenant = try await directory.oneTenant(in: context)
        let leave = try await proofs.read(
            LeaveRequest.self, in: try form.required(.request), tenant: tenant.id, for: .leave)
        let (now, device) = (environment.now(), leave.device)
        try await database.write { connection in
            try leave.acceptance.record(in: connection)
            let devices = Devices(connection)
            guard let present = try devices.find(device, tenant: tenant.id) else { throw OAuthError.unknownDevice }
            // A disabled device must not remove its entry, which records the administrator's decision.
            guard present.isEnabled else { throw OAuthError.disabledDevice }
            _ = try devices.remove(device, tenant: tenant.id, at: now, by: device.rawValue)
            try AuditLog(connection).append(
                AuditLine(.deviceRemoved, tenant: tenant.id, actor: device.rawValue, subject: device.rawValue, at: now))
        }
        context.logger.info("device left")
        var body = MembersWriter()
        body.set(ReplyName.left, true)
        return Response(json: body)
    }
}
