// SPDX-License-Identifier: Apache-2.0
internal import HTTPTypes
internal import Hummingbird
internal import Logging
internal import NIOCore
internal import OAuth

/// Device registration (MS-DVRJ and the cloud's dialect), on a host name of its own.
struct DeviceRegistrationEndpoints: Sendable {
    let platform: Platform

    /// The API versions of a join that are served.
    private static let versions: Set<String> = ["1.0", "2.0"]

    func addRoutes(to router: Router<IdentityContext>) {
        router.get("/{tenant}/Discover") { _, context in
            guard let tenant = try await platform.tenant(in: context) else { throw RegistrationError.unknownTenant }
            return Response(json: RegistrationDiscovery(names: platform.configuration.names, tenant: tenant).members)
        }
        router.get("/EnrollmentServer/nonce/{tenant}") { _, context in
            _ = try await platform.tenant(in: context)
            var body = MembersWriter()
            body.set(RegistrationName.value, platform.nonces.make())
            return Response(json: body)
        }
        router.post("/EnrollmentServer/device", use: join)
    }

    @Sendable private func join(_ request: Request, _ context: IdentityContext) async throws -> Response {
        let token = try await platform.accessTokens.check(
            authorization: request.headers[.authorization], for: platform.resources.deviceRegistration)
        guard let version = request.uri.queryParameters["api-version"], Self.versions.contains(String(version)) else {
            throw RegistrationError.unsupportedVersion
        }
        let body = try await request.body.collect(upTo: context.maxUploadSize)
        let join: JoinRequest
        do {
            join = try JoinRequest(decoding: Array(body.readableBytesView))
        } catch {
            throw RegistrationError.malformed
        }
        let reply = try await DeviceJoin(platform: platform).join(join, by: token)
        context.logger.info("device joined", metadata: ["device.shared": "\(join.isShared)"])
        return Response(json: reply.encoded)
    }
}
