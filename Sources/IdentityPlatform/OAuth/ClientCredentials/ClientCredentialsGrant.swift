// SPDX-License-Identifier: Apache-2.0
internal import Hummingbird
internal import OAuth
internal import Storage

/// Issues tokens to applications that act for themselves, without a person (RFC 6749 section 4.4).
///
/// An application authenticates only with an assertion that one of its registered keys has signed. Its permissions are
/// those that a Global Administrator granted it. There are no refresh tokens (section 4.4.3).
struct ClientCredentialsGrant: GrantHandler {
    let database: any Database
    let environment: ClockAndRandomness
    let directory: DirectoryCache
    let resources: ResourceCatalogue
    let storageKey: StorageKey
    let keys: TenantKeys
    let issuer: TokenIssuer
    let metrics: IdentityMetrics

    init(_ platform: Platform) {
        (database, environment) = (platform.database, platform.environment)
        (directory, resources) = (platform.directoryCache, platform.resources)
        (storageKey, keys) = (platform.storageKey, platform.keys)
        (issuer, metrics) = (platform.issuer, platform.metrics)
    }

    var grantTypes: [GrantType] { [.clientCredentials] }

    func respond(to request: TokenRequest) async throws -> Response {
        guard let tenant = request.tenant else { throw OAuthError.ambiguousTenant }
        let form = request.form
        guard form[ParameterName.clientSecret] == nil, request.authorization == nil else {
            throw OAuthError.secretForApplication
        }
        let (resource, audience) = try resources.resource(forApplicationAsking: try form.required(.scope))
        let assertion = try ClientAssertion(form)
        let throttle = FailedAssertions(
            database: database, environment: environment, storageKey: storageKey, tenant: tenant.id,
            client: assertion.client, peer: request.peer)
        do {
            let grant = try await grant(assertion, for: resource, in: tenant, throttle)
            return Response(
                json: try await issuer.reply(
                    ApplicationGrant(
                        tenant: tenant, client: grant.client, audience: audience, permissions: grant.permissions,
                        keys: grant.keys)))
        } catch let error as OAuthError where error == .tooManyAssertions {
            metrics.count(.clientAssertion)
            throw error
        } catch let error as OAuthError where error.code == .invalidClient {
            try await throttle.record()
            throw error
        }
    }

    /// The data of a token that was granted in a transaction.
    private struct Granted: Sendable {
        let client: Client
        let permissions: [String]
        let keys: [TenantKey]?
    }

    private func grant(
        _ assertion: ClientAssertion, for resource: Resource, in tenant: Tenant, _ throttle: FailedAssertions
    ) async throws -> Granted {
        let view = directory.view
        let known = try await database.read { connection in
            try throttle.admit(connection)
            let client = try Clients(connection, view).usable(assertion.client, tenant: tenant.id)
            return try ClientKeys(connection).valid(of: client, at: environment.now())
        }
        // The signature is verified outside of the transactions, because a verification takes as long as several
        // statements.
        let key = try assertion.key(among: known)
        try assertion.judgeAudience(tenant, issuer: issuer)
        return try await database.write { connection in
            let now = environment.now()
            try assertion.judgeTime(at: now)
            // The registration may have changed since the signature was verified.
            let client = try Clients(connection).usable(assertion.client, tenant: tenant.id)
            guard try ClientKeys(connection).valid(of: client, at: now).contains(where: { $0.id == key.id }) else {
                throw OAuthError.assertionSignature
            }
            try UsedAssertions(connection: connection, tenant: tenant.id).use(assertion.used, at: now)
            let permissions = try ApplicationPermissions(connection).names(of: client.id, tenant: tenant.id)
                .filter(resource.permissions.contains)
            guard !permissions.isEmpty else { throw OAuthError.noApplicationPermission }
            try AuditLog(connection).appendOrCount(
                AuditLine(
                    .clientSignedIn, tenant: tenant.id, actor: ApplicationToken.auditName(of: client.id),
                    subject: key.id, at: now))
            return Granted(client: client, permissions: permissions, keys: try keys.shared(by: tenant.id, connection))
        }
    }
}

/// The refused assertions in the name of one application from one address. Each is recorded in the audit log, and their
/// rate is limited.
///
/// The limit is for the application *and* the address. A stranger can neither lock an application out nor make the
/// server verify signatures and write entries without limit.
struct FailedAssertions: Sendable {
    let database: any Database
    let environment: ClockAndRandomness
    let storageKey: StorageKey
    let tenant: TenantID
    let client: ClientID
    let peer: PeerAddress

    private static let rule = ThrottleRule(burst: 60, interval: .seconds(5))

    /// Checks that there were not too many failures.
    ///
    /// - Throws: ``OAuthError`` `tooManyAssertions`, ``StorageError``
    func admit(_ connection: any Connection) throws {
        guard try counts(connection).admit(at: environment.now()) else { throw OAuthError.tooManyAssertions }
    }

    /// Counts a failure and records it in the audit log. Equal failures within ten minutes share one entry.
    ///
    /// - Throws: ``StorageError``
    func record() async throws {
        try await database.write { connection in
            let now = environment.now()
            guard try counts(connection).add(at: now) else { return }
            try AuditLog(connection).appendOrCount(
                AuditLine(
                    .clientSignedIn, tenant: tenant, actor: ApplicationToken.auditName(of: client), subject: nil,
                    outcome: "refused", at: now))
        }
    }

    private func counts(_ connection: any Connection) -> ThrottleCounts {
        ThrottleCounts(
            connection: connection, tenant: tenant, storageKey: storageKey,
            counts: [
                .init(kind: .failedAssertions, key: client.bytes + Array(peer.key.utf8), rule: Self.rule)
            ])
    }
}
