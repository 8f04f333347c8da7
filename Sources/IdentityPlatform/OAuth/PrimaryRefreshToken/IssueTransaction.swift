// SPDX-License-Identifier: Apache-2.0
internal import OAuth
internal import Storage

/// The transaction that issues a PRT. It repeats the checks that were made before the transaction.
struct IssueTransaction {
    let transaction: TokenTransaction
    let passwords: Passwords

    private var connection: any Connection { transaction.connection }

    /// Binds the session to the device, enters the epoch and stores the token. On a shared device, ends every other
    /// session, because such a device has one worker at a time.
    ///
    /// - Throws: ``OAuthError``, ``StorageError``
    func issue(
        _ token: OpaqueToken, sealedKey: [UInt8], for request: PrimaryRefreshToken.IssueRequest, to id: DeviceID,
        of person: PersonProof, in tenant: Tenant
    ) throws -> IssuedPrimaryRefreshToken {
        let now = transaction.now
        guard let device = try Devices(connection).find(id, tenant: tenant.id) else { throw OAuthError.unknownDevice }
        guard device.isEnabled else { throw OAuthError.disabledDevice }
        let client = try broker(request.clientID, tenant: tenant.id)
        let proven = try proven(by: person, client: client.id, tenant: tenant.id, at: now)
        let session = proven.session
        try enter(request.epoch, of: device, as: proven.user)
        guard
            try Sessions(connection).bind(
                session, tenant: tenant.id, to: device.binding, epochCounter: request.epoch.map { Int64($0.counter) })
        else { throw OAuthError.badGrant }
        if device.binding.isShared {
            try Devices(connection).endSessions(
                of: id, tenant: tenant.id, except: session, at: now, because: .handedOver, by: id.rawValue)
        }
        let bound = try LiveSession(session, tenant: tenant.id, connection)
        if let browser = bound.session.browser {
            try DeviceBrowsers(connection).claim(browser, for: bound.session, at: now)
        }
        let expires = bound.session.begun + transaction.configuration.devices.primaryRefreshTokenLifetime
        guard expires > now else { throw OAuthError.expiredGrant }
        let tokens = PrimaryRefreshTokens(connection)
        try tokens.remove(session: session, tenant: tenant.id)
        try tokens.add(
            token,
            StoredPrimaryRefreshToken(
                tenant: tenant.id, session: session, device: id, client: client.id, sealedSessionKey: sealedKey,
                proofFamily: proven.family, family: PrimaryRefreshTokens.family(of: token.hash), expires: expires,
                renewed: nil, isConfirmed: true))
        try AuditLog(connection).append(
            AuditLine(.sessionBound, tenant: tenant.id, actor: id.rawValue, subject: session.rawValue, at: now))
        return IssuedPrimaryRefreshToken(
            user: bound.person, session: bound.session, client: client.id, expires: expires)
    }

    private func broker(_ id: String, tenant: TenantID) throws -> Client {
        guard let id = ClientID(rawValue: id) else { throw OAuthError.unknownClient }
        let client = try Clients(connection).usable(id, tenant: tenant)
        guard client.isBroker else { throw OAuthError.notABroker }
        return client
    }

    /// Returns the session that the proof belongs to. A password or the person's own key begins a new session.
    private func proven(
        by person: PersonProof, client: ClientID, tenant: TenantID, at time: Timestamp
    ) throws -> (session: SessionID, user: UserID, family: TokenFamilyID?) {
        switch person {
        case .refreshToken(let token):
            let record = try transaction.check(token, of: client, for: .proof)
            guard !record.ofPrimary else { throw OAuthError.badGrant }
            try RefreshTokens(connection).use(record, at: time)
            let live = try LiveSession(record.session, tenant: tenant, connection)
            guard !live.session.isFromDeviceCode else { throw OAuthError.signedInAtOtherScreen }
            return (live.session.id, live.person.id, record.family)
        case .password(let checked, let id):
            guard let user = try passwords.confirm(checked, at: time, connection) else {
                throw OAuthError.badCredentials
            }
            try AuditLog(connection).append(
                AuditLine(
                    .signIn, tenant: tenant, actor: user.id.rawValue, subject: client.rawValue,
                    method: .primaryRefreshToken, at: time))
            let methods = [AuthenticationMethod.password]
            return (try Sessions(connection).begin(id, user: user, methods: methods, at: time).id, user.id, nil)
        case .helloKey(let key, let id, _):
            guard
                try HelloKeys(connection).find(hash: key.hash, device: key.device, tenant: tenant)?.person
                    == key.person,
                let user = try Users(connection).find(key.person, tenant: tenant)
            else { throw OAuthError.badAssertion }
            guard user.isEnabled else { throw OAuthError.disabledUser }
            try AuditLog(connection).append(
                AuditLine(
                    .signIn, tenant: tenant, actor: user.id.rawValue, subject: client.rawValue,
                    method: .primaryRefreshToken, at: time))
            let methods = [AuthenticationMethod.ownKey]
            return (try Sessions(connection).begin(id, user: user, methods: methods, at: time).id, user.id, nil)
        }
    }

    /// Checks that the device may enter the epoch or stay in it, and records a new epoch. A shared device's epoch
    /// belongs to one person.
    private func enter(_ epoch: DeviceEpoch?, of device: Device, as person: UserID) throws {
        guard let epoch else {
            guard !device.binding.isShared else { throw OAuthError.epochRequired }
            return
        }
        switch EpochRule.judge(epoch, highest: device.epoch, isClosed: device.isEpochClosed) {
        case .enter: try Devices(connection).setEpoch(epoch, isClosed: false, device.id, tenant: device.tenant)
        case .same:
            let isTaken = try Devices(connection).hasSession(of: device, in: epoch, but: person)
            guard !device.binding.isShared || !isTaken else { throw OAuthError.staleEpoch }
        case .stale: throw OAuthError.staleEpoch
        }
    }
}

/// The person's proof, ready for the transaction.
enum PersonProof: Sendable {
    case refreshToken(OpaqueToken)
    /// The person's own key, which has just signed an assertion, and the id of the session that begins with it.
    case helloKey(HelloKey, SessionID, Acceptance)
    /// A password that was just checked, and the id of the session that begins with it.
    case password(CheckedPassword, SessionID)

    /// The acceptance of the assertion; nil if the proof is not an assertion.
    var acceptance: Acceptance? { if case .helloKey(_, _, let acceptance) = self { acceptance } else { nil } }

    var password: CheckedPassword? { if case .password(let checked, _) = self { checked } else { nil } }
}
