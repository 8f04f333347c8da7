// SPDX-License-Identifier: Apache-2.0
internal import HTTPTypes
internal import Hummingbird
internal import OAuth
internal import Redaction
internal import Storage

/// `POST /{tenant}/oauth2/v2.0/devicecode` and its version 1 (`/{tenant}/oauth2/devicecode`): begins a sign-in that a
/// person completes on another screen (RFC 8628 section 3.1).
struct DeviceAuthorizationEndpoint: Sendable {
    let database: any Database
    let environment: ClockAndRandomness
    let directory: DirectoryCache
    let configuration: IdentityConfiguration
    let resources: ResourceCatalogue
    let storageKey: StorageKey
    let metrics: IdentityMetrics

    func addRoutes(to router: Router<IdentityContext>) {
        for version in [TokenVersion.two, .one] {
            router.post(PublishedEndpoint.deviceAuthorization.route(version)) {
                do { return try await respond($0, $1, in: version) } catch let error as OAuthError
                    where error == .tooManyDeviceCodes
                {
                    metrics.count(.deviceCode)
                    throw error
                }
            }
        }
    }

    private func respond(
        _ request: Request, _ context: IdentityContext, in version: TokenVersion
    ) async throws -> Response {
        let form = try await request.form(limit: context.maxUploadSize)
        let tenant = try await directory.oneTenant(in: context)
        let credentials = try ClientCredentials(form: form, authorization: request.headers[.authorization])
        let maxAge = try form.maxAge()
        let code = OpaqueToken(tenant: tenant.id, environment: environment)
        let userCode = UserCode(environment)
        let throttle = DeviceCodeThrottle(
            storageKey: storageKey, tenant: tenant.id, peer: context.client)
        let isOnly = try await database.write { connection in
            let now = environment.now()
            let client = try Clients(connection).authenticated(credentials, tenant: tenant.id, at: now)
            // The person who approves a code does not see the device that requested it. If brokers could get device
            // codes, that person could register a stranger's device as their own.
            guard !client.isBroker else { throw OAuthError.noDeviceCodeForBroker }
            let scope = try resources.grant(asked: form, before: "", to: client)
            guard scope.resource.application != ResourceCatalogue.deviceRegistrationApplication else {
                throw OAuthError.signedInAtOtherScreen
            }
            guard scope.lasting.utf8.count <= 4096 else { throw OAuthError.tooLarge }
            try throttle.admit(at: now, connection)
            let record = DeviceCode(
                tenant: tenant.id, client: client.id, scope: scope.lasting,
                expires: now + configuration.lifetimes.deviceCode, maxAge: maxAge?.components.seconds, polled: nil,
                state: .pending)
            try DeviceCodes(connection).add(code, userCode: storageKey.hash(of: userCode), record)
            return try Tenants(connection).only() != nil
        }
        return Response(json: reply(code, userCode, page: page(of: tenant, isOnly: isOnly), in: version))
    }

    /// Returns the URL that the person types. It is short if the server has only one organisation.
    private func page(of tenant: Tenant, isOnly: Bool) -> String {
        let names = configuration.names
        return "\(names.origin(of: names.login))/\(isOnly ? "common" : tenant.domain)\(DevicePage.path)"
    }

    private func reply(
        _ code: OpaqueToken, _ userCode: UserCode, page: String, in version: TokenVersion
    ) -> MembersWriter {
        let lifetime = Int(configuration.lifetimes.deviceCode.components.seconds)
        let interval = Int(configuration.lifetimes.devicePolling.components.seconds)
        var reply = MembersWriter()
        reply.set(ReplyName.userCode, userCode.text)
        reply.set(ReplyName.deviceCode, code.text.exposed)
        switch version {
        case .one:
            reply.set(ReplyName.verificationURL, page)
            reply.set(ReplyName.expiresIn, String(lifetime))
            reply.set(ReplyName.interval, String(interval))
        case .two:
            reply.set(ReplyName.verificationURI, page)
            reply.set(
                ReplyName.verificationURIComplete, "\(page)?\(ParameterName.userCode.rawValue)=\(userCode.text)")
            reply.set(ReplyName.expiresIn, lifetime)
            reply.set(ReplyName.interval, interval)
        }
        reply.set(ReplyName.message, "To sign in, open \(page) in a browser and enter the code \(userCode.text).")
        return reply
    }
}
