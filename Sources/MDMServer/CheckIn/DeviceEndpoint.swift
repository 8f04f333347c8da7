// SPDX-License-Identifier: Apache-2.0
internal import HTTPTypes
internal import Hummingbird
internal import Logging
internal import MDMProtocol
internal import NIOCore
internal import Storage

/// The endpoint for enrolled devices: check-in, commands, app manifests and packages.
struct DeviceEndpoint: Sendable {
    let database: any Database
    let sources: MDMSources
    let packages: any PackageStore
    let addresses: DeviceAddresses
    let checkIn: CheckIn
    let commands: NextCommand

    /// Adds the routes for devices.
    func addRoutes(to router: Router<MDMContext>) {
        router.put(RouterPath(DevicePath.server)) { request, context in
            try await refusing { try await serve(request, context) }
        }
        for method in [HTTPRequest.Method.get, .post, .delete] {
            router.on(RouterPath(DevicePath.server), method: method) { _, _ in
                Response(status: .methodNotAllowed, headers: [.allow: "PUT"])
            }
        }
        router.get(RouterPath(DevicePath.manifest)) { request, context in
            try await refusing { try await manifest(request, context) }
        }
        router.get(RouterPath(DevicePath.package)) { request, context in
            try await refusing { try await package(request, context) }
        }
    }

    /// Dispatches by content type: a check-in message has its own content type; any other request asks for commands.
    private func serve(_ request: Request, _ context: MDMContext) async throws -> Response {
        let (tenant, fingerprint) = try await caller(context)
        let body: [UInt8]
        do {
            body = Array(try await request.body.collect(upTo: context.maxUploadSize).readableBytesView)
        } catch is NIOTooManyBytesError {
            throw DeviceRefusal.tooLarge
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            // The client is gone, or the framing of the body is invalid.
            throw DeviceRefusal.malformed("The body is incomplete.")
        }
        let mediaType = request.headers[.contentType]?.prefix { $0 != ";" }.lowercased() ?? ""
        if mediaType == CheckInMessage.mediaType {
            try await checkIn.handle(body, tenant: tenant, fingerprint: fingerprint)
            return Answer.empty
        }
        let command = try await commands.handle(body, tenant: tenant, fingerprint: fingerprint)
        return command.map { Answer.bytes($0, type: Answer.propertyListType) } ?? Answer.empty
    }

    private func manifest(_ request: Request, _ context: MDMContext) async throws -> Response {
        let tenant = try await recognized(context)
        guard let app = context.parameters.get("app"), let version = context.parameters.get("version"),
            let manifest = try await database.read({ connection in
                try Apps(connection: connection, tenant: tenant).find(app, version: version)
            })
        else { throw DeviceRefusal.notFound }
        let value = manifest.manifest(url: addresses.package(manifest.sha256, tenant: tenant))
        return Answer.bytes(try value.propertyList.xml(), type: Answer.propertyListType)
    }

    private func package(_ request: Request, _ context: MDMContext) async throws -> Response {
        let tenant = try await recognized(context)
        guard let digest = context.parameters.get("digest"),
            try await database.read({ try Apps(connection: $0, tenant: tenant).holds(digest: digest) })
        else { throw DeviceRefusal.notFound }
        return Response(
            status: .ok, headers: [.contentType: "application/octet-stream"],
            body: try await packages.body(digest: digest, context: context))
    }

    /// Returns the tenant in the path and the fingerprint of the channel's certificate.
    private func caller(_ context: MDMContext) async throws -> (tenant: TenantID, fingerprint: CertificateFingerprint) {
        guard let fingerprint = try await context.fingerprint() else { throw DeviceRefusal.noCertificate }
        guard let tenant = context.parameters.get("tenant").flatMap(TenantID.init(rawValue:)) else {
            throw DeviceRefusal.unrecognized
        }
        return (tenant, fingerprint)
    }

    /// Returns the tenant of an enrolled device.
    private func recognized(_ context: MDMContext) async throws -> TenantID { try await device(context).tenant }

    /// Returns the enrolled device that owns the channel's certificate.
    func device(_ context: MDMContext) async throws -> EnrolledDeviceID {
        let (tenant, fingerprint) = try await caller(context)
        let now = sources.now()
        let enrollment = try await database.read {
            try Enrollments(connection: $0, tenant: tenant).living(fingerprint: fingerprint, now: now)
        }
        guard let udid = enrollment.udid else { throw DeviceRefusal.unrecognized }
        return EnrolledDeviceID(tenant: tenant, udid: udid)
    }
}

/// Turns refusals into responses. Any other error becomes a response with status 500, or 503 if the database is
/// temporarily unavailable. In both cases, the device tries again later.
func refusing(_ body: () async throws -> Response) async throws -> Response {
    do { return try await body() } catch let refusal as DeviceRefusal {
        Logger.current.notice("device refused", metadata: ["reason": "\(refusal)"])
        return refusal.response
    } catch let error as any HTTPResponseError { throw error } catch {
        Logger.current.error("device request failed", metadata: ["error": "\(error)"])
        if let error = error as? StorageError, error.isTemporary { return Answer.unavailable }
        return Response(status: .internalServerError)
    }
}
