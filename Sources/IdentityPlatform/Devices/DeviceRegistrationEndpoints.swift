// SPDX-License-Identifier: Apache-2.0
internal import Crypto
internal import HTTPTypes
internal import Hummingbird
internal import Logging
internal import NIOCore
internal import OAuth
internal import Storage

/// The endpoints of device registration (MS-DVRJ and the protocol of Entra), on a separate host name.
struct DeviceRegistrationEndpoints: Sendable {
    let names: IdentityConfiguration.Names
    let database: any Database
    let environment: ClockAndRandomness
    let directory: DirectoryCache
    let nonces: Nonces
    let accessTokens: AccessTokens
    /// The resource for which a token must have been issued.
    let resource: Resource
    let registration: DeviceRegistration

    init(_ platform: Platform) {
        (names, database) = (platform.configuration.names, platform.database)
        (environment, directory) = (platform.environment, platform.directoryCache)
        (nonces, accessTokens) = (platform.nonces, platform.accessTokens)
        (resource, registration) = (platform.resources.deviceRegistration, DeviceRegistration(platform))
    }

    func addRoutes(to router: Router<IdentityContext>) {
        router.get("/{tenant}/Discover") { request, context in
            try Self.check(request, among: ["1.6", "1.7", "1.8", "1.9"], isOptional: true)
            guard let tenant = try await directory.tenant(in: context) else {
                throw RegistrationError.unknownTenant
            }
            return Response(json: RegistrationDiscovery(names: names, tenant: tenant).members)
        }
        router.get("/EnrollmentServer/nonce/{tenant}") { request, context in
            try Self.check(request, among: ["1.0"], isOptional: true)
            _ = try await directory.tenant(in: context)
            var body = MembersWriter()
            body.set(RegistrationName.value, nonces.make())
            return Response(json: body)
        }
        router.post("/EnrollmentServer/device", use: join)
        router.delete("/EnrollmentServer/device/{device}", use: leave)
        router.post("/EnrollmentServer/key", use: addKey)
    }

    /// Returns the whole body.
    ///
    /// - Throws: ``RegistrationError`` if it is too large or incomplete, or if its framing is invalid.
    private func body(of request: Request, _ context: IdentityContext) async throws -> ByteBuffer {
        do {
            return try await request.body.collect(upTo: context.maxUploadSize)
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            throw RegistrationError.malformed
        }
    }

    @Sendable private func join(_ request: Request, _ context: IdentityContext) async throws -> Response {
        let token = try await registrationToken(request)
        guard let version = Self.version(of: request).flatMap(RegistrationVersion.init) else {
            throw RegistrationError.unsupportedVersion
        }
        let body = try await body(of: request, context)
        let join: JoinRequest
        do {
            join = try JoinRequest(decoding: Array(body.readableBytesView), version: version)
        } catch {
            throw RegistrationError.malformed
        }
        let reply = try await registration.join(join, in: version, by: token)
        context.logger.info("device joined", metadata: ["device.shared": "\(join.isShared)"])
        return Response(json: reply.encoded)
    }

    /// Removes a device from the directory at its own request. The client certificate of the TLS handshake
    /// authenticates the device.
    @Sendable private func leave(_ request: Request, _ context: IdentityContext) async throws -> Response {
        try Self.check(request, among: ["1.0", "2.0", "3.0"], isOptional: true)
        guard let certificate = try await context.peerCertificate(),
            let tenant = DeviceAuthority.tenant(namedBy: certificate)
        else { throw RegistrationError.certificateRequired }
        let hash = Array(SHA256.hash(data: certificate))
        let name = try context.parameters.require("device").lowercased()
        let now = environment.now()
        try await database.write { connection in
            let devices = Devices(connection)
            guard let device = try devices.find(certificateHash: hash, tenant: tenant), device.id.rawValue == name,
                device.credentials.certificateExpires > now
            else { throw RegistrationError.certificateRequired }
            guard device.isEnabled else { throw RegistrationError.disabledDevice }
            _ = try devices.remove(device.id, tenant: tenant, at: now, by: name)
            try AuditLog(connection).append(
                AuditLine(.deviceRemoved, tenant: tenant, actor: name, subject: name, at: now))
        }
        context.logger.info("device left")
        return Response(status: .ok)
    }

    /// Stores a worker's own key (``HelloKey``), with which the worker can authenticate on this device only. The
    /// request is refused on a shared device, because the key would remain there after the worker leaves.
    @Sendable private func addKey(_ request: Request, _ context: IdentityContext) async throws -> Response {
        let token = try await registrationToken(request)
        try Self.check(request, among: ["1.0"])
        let body = try await body(of: request, context)
        guard let binding = token.session.device, !binding.isShared else { throw RegistrationError.ownDeviceRequired }
        guard let members = try? Members(decoding: Array(body.readableBytesView)),
            let blob = try? Base64.decodeLeniently(try members.string(RegistrationName.helloKey)),
            let key = try? HelloKey(blob: blob, of: token.user, on: binding.id)
        else { throw RegistrationError.malformedKey }
        let now = environment.now()
        try await database.write { connection in
            try token.confirm(connection)
            try HelloKeys(connection).replace(with: key, at: now)
            try AuditLog(connection).append(
                AuditLine(
                    .helloKeyAdded, tenant: token.tenant, actor: token.user.id.rawValue, subject: binding.id.rawValue,
                    at: now))
        }
        var reply = MembersWriter()
        reply.set(RegistrationName.keyID, Base64.encode(key.hash))
        reply.set(RegistrationName.lowercaseUserPrincipalName, token.user.userPrincipalName)
        return Response(json: reply)
    }

    private func registrationToken(_ request: Request) async throws -> AccessToken {
        let token = try await accessTokens.check(
            authorization: request.headers[.authorization], for: resource)
        guard !token.session.isFromDeviceCode else { throw RegistrationError.signedInAtOtherScreen }
        return token
    }

    private static func version(of request: Request) -> String? {
        request.uri.queryParameters["api-version"].map(String.init)
    }

    private static func check(_ request: Request, among versions: Set<String>, isOptional: Bool = false) throws {
        guard let version = version(of: request) else {
            guard isOptional else { throw RegistrationError.unsupportedVersion }
            return
        }
        guard versions.contains(version) else { throw RegistrationError.unsupportedVersion }
    }
}
