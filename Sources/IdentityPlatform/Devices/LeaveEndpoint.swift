// SPDX-License-Identifier: Apache-2.0
internal import Hummingbird
internal import Logging
internal import OAuth
internal import Storage

/// `POST /{tenant}/oauth2/v2.0/device/leave` (Baton's own): a device takes itself out of the directory, by a request that its
/// key has signed; the same as the registration service's DELETE, for keys that make no TLS connection.
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
        let (_, device) = try await proofs.read(
            LeaveRequest.self, in: try form.required(.request), tenant: tenant.id, for: .leave)
        let now = environment.now()
        try await database.write { connection in
            let devices = Devices(connection)
            guard let present = try devices.find(device, tenant: tenant.id) else { throw OAuthError.unknownDevice }
            // An administrator's decision about the device stays on record.
            guard present.isEnabled else { throw OAuthError.disabledDevice }
            _ = try devices.remove(device, tenant: tenant.id, at: now, by: device.rawValue)
            try AuditLog(connection).append(
                .deviceRemoved, tenant: tenant.id, actor: device.rawValue, subject: device.rawValue, at: now)
        }
        context.logger.info("device left")
        var body = MembersWriter()
        body.set(ReplyName.left, true)
        return Response(json: body)
    }
}
