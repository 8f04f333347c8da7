// SPDX-License-Identifier: Apache-2.0
internal import Hummingbird
internal import Logging
internal import OAuth
internal import Storage

/// `POST /{tenant}/oauth2/v2.0/device/offlineleases` (specific to Baton): a device asks which of its offline leases are
/// valid, and requests a new one for the worker who is signed in.
///
/// A lease is issued if the organisation has turned offline sign-in on, the device is an enabled shared device, and the
/// session is a valid session of that device. Otherwise the response contains no lease, which is not an error.
struct OfflineLeaseEndpoint: Sendable {
    let database: any Database
    let environment: ClockAndRandomness
    let directory: DirectoryCache
    let proofs: DeviceProofs
    let authorities: ReceiptAuthorities
    let keys: TenantKeys

    func addRoutes(to router: Router<IdentityContext>) {
        router.post("/{tenant}/oauth2/v2.0/device/offlineleases", use: respond)
    }

    @Sendable private func respond(_ request: Request, _ context: IdentityContext) async throws -> Response {
        let form = try await request.form(limit: context.maxUploadSize)
        let tenant = try await directory.oneTenant(in: context)
        // A disabled device may also make this request. In that case, the response says that no lease is valid.
        let question = try await proofs.read(
            OfflineQuestion.self, in: try form.required(.request), tenant: tenant.id, for: .offlineLeases)
        let answer = try await answer(question, tenant: tenant.id)
        if answer.lease != nil { context.logger.info("offline lease given") }
        return Response(json: answer.members)
    }

    /// The data of a new lease, read in one transaction.
    private struct Grant: Sendable {
        let id: String
        let rules: OfflineRules
        let person: User
        let session: SessionID
        let hash: PasswordHash?
    }

    /// Returns the response to a device that has proved possession of its key.
    ///
    /// - Throws: ``StorageError``, or an error of the cryptography library.
    private func answer(_ asked: AcceptedCall<OfflineQuestion>, tenant: TenantID) async throws -> OfflineAnswer {
        let (question, device) = (asked.call, asked.device)
        let (now, id) = (environment.now(), environment.identifier(of: OfflineLease.self).rawValue)
        let (good, grant) = try await database.write { connection -> (Set<String>, Grant?) in
            try asked.acceptance.record(in: connection)
            guard let rules = try OfflineRules.of(tenant, connection),
                let present = try Devices(connection).find(device, tenant: tenant), present.isEnabled,
                present.profileType == .shared
            else { return ([], nil) }
            let leases = OfflineLeases(connection)
            let good = try question.held.filter { try leases.isGood($0, device: device, tenant: tenant, at: now) }
            guard
                let grant = try newGrant(
                    id, session: question.sessionID, of: device, by: rules, tenant: tenant, connection)
            else {
                return (Set(good), nil)
            }
            try leases.add(
                id, of: grant.person.id, device: device, tenant: tenant, expires: now + .seconds(rules.wallSeconds))
            try AuditLog(connection).append(
                AuditLine(
                    .offlineLeaseGiven, tenant: tenant, actor: device.rawValue, subject: grant.person.id.rawValue,
                    at: now))
            return (Set(good), grant)
        }
        let lease: String? =
            if let grant { try await sign(grant, device: device, tenant: tenant, at: now) } else { nil }
        return OfflineAnswer(time: Int(now.seconds), good: good, lease: lease)
    }

    private func newGrant(
        _ id: String, session: String?, of device: DeviceID, by rules: OfflineRules, tenant: TenantID,
        _ connection: any Connection
    ) throws -> Grant? {
        guard let session = session.flatMap(SessionID.init(rawValue:)) else { return nil }
        let live: LiveSession
        do { live = try LiveSession(session, tenant: tenant, connection) } catch is OAuthError { return nil }
        guard live.session.device?.id == device else { return nil }
        return Grant(
            id: id, rules: rules, person: live.person, session: session,
            hash: try Users(connection).password(of: live.person.id, tenant: tenant))
    }

    /// The number of receipt pseudonyms in a lease. Each offline sign-in uses the next one, so that a reader of the
    /// receipts cannot link the sign-ins. After the last one, the device starts again with the first.
    private static let receiptSubjects = 16

    private func sign(
        _ grant: Grant, device: DeviceID, tenant: TenantID, at now: Timestamp
    ) async throws -> String {
        let (person, rules) = (grant.person, grant.rules)
        let authority = try await authorities.authority(of: tenant)
        let subjects = try (0..<Self.receiptSubjects).map { _ in
            try authority.pseudonym(
                of: .init(user: person.id, device: device, session: grant.session), nonce: environment.randomBytes(12))
        }
        let binding = environment.randomBytes(OfflinePassword.bindingLength)
        let lease = OfflineLease(
            id: grant.id, tenant: tenant.rawValue, device: device.rawValue,
            person: .init(
                id: person.id.rawValue, userName: person.userPrincipalName, displayName: person.profile.displayName,
                givenName: person.profile.givenName, familyName: person.profile.surname),
            issued: Int(now.seconds), ends: Int(now.seconds) + rules.wallSeconds, limits: rules.limits,
            credentials: rules.credentials,
            password: rules.credentials.contains(.password) ? grant.hash?.offlinePassword(binding: binding) : nil,
            receiptSubjects: subjects)
        let key = try await keys.current(of: tenant)
        return try lease.signed(with: key.signer.key, keyID: key.id)
    }
}
