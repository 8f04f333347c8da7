// SPDX-License-Identifier: Apache-2.0
internal import OAuth
internal import Storage

/// The one transaction of an issue: everything is looked at again inside it.
struct PrimaryRefreshTokenIssuing {
    let platform: Platform
    let connection: any Connection

    /// Binds the session to the device, enters the epoch and keeps the token. On a shared device every other session
    /// ends: there is one worker at a time.
    ///
    /// - Throws: ``OAuthError``, ``StorageError``
    func issue(
        _ token: OpaqueToken, _ sealedKey: [UInt8], _ request: PrimaryRefreshToken.IssueRequest, to id: DeviceID,
        for person: PersonProof, in tenant: Tenant
    ) throws -> IssuedPrimaryRefreshToken {
        let now = platform.ambient.now()
        guard let device = try Devices(connection).find(id, tenant: tenant.id) else { throw OAuthError.unknownDevice }
        guard device.isEnabled else { throw OAuthError.disabledDevice }
        let client = try broker(request.clientID, tenant: tenant.id)
        let (user, session) = try session(of: person, client: client.id, tenant: tenant.id, at: now)
        try enter(request.epoch, device)
        let sessions = Sessions(connection)
        guard try sessions.bind(session, tenant: tenant.id, to: device.binding),
            let bound = try sessions.live(session, tenant: tenant.id)
        else { throw OAuthError.badGrant }
        if device.binding.isShared {
            try Devices(connection).endSessions(of: id, tenant: tenant.id, except: session, at: now)
        }
        let tokens = PrimaryRefreshTokens(connection)
        try tokens.remove(session: session, tenant: tenant.id)
        try tokens.add(
            token,
            StoredPrimaryRefreshToken(
                tenant: tenant.id, session: session, device: id, client: client.id, sealedSessionKey: sealedKey,
                epochCounter: request.epoch.map { Int64($0.counter) },
                expires: now + platform.configuration.devices.primaryRefreshTokenLifetime))
        return IssuedPrimaryRefreshToken(user: user, session: bound, client: client.id)
    }

    /// An application may hold PRTs if it is permitted device registration: a worker's app never is.
    private func broker(_ id: String, tenant: TenantID) throws -> Client {
        guard let id = ClientID(rawValue: id), let client = try Clients(connection).find(id, tenant: tenant) else {
            throw OAuthError.unknownClient
        }
        guard client.resources.contains(platform.resources.deviceRegistration.application) else {
            throw OAuthError.notABroker
        }
        return client
    }

    private func session(
        of person: PersonProof, client: ClientID, tenant: TenantID, at time: Timestamp
    ) throws -> (User, SessionID) {
        let (userID, session): (UserID, SessionID)
        switch person {
        case .refreshToken(let token):
            guard let record = try RefreshTokens(connection).find(token), record.client == client,
                let live = try Sessions(connection).live(record.session, tenant: tenant)
            else { throw OAuthError.badGrant }
            guard record.expires > time else { throw OAuthError.expiredGrant }
            (userID, session) = (live.user, live.id)
        case .password(let user, let id):
            session = try Sessions(connection).begin(id, user: user, methods: [AuthenticationMethod.password], at: time)
                .id
            userID = user.id
        }
        guard let user = try Users(connection).find(userID, tenant: tenant) else { throw OAuthError.badGrant }
        guard user.isEnabled else { throw OAuthError.disabledUser }
        return (user, session)
    }

    private func enter(_ epoch: DeviceEpoch?, _ device: Device) throws {
        guard let epoch else {
            guard !device.binding.isShared else { throw OAuthError.epochRequired }
            return
        }
        switch EpochRule.judge(epoch, highest: device.epoch) {
        case .enter: try Devices(connection).setEpoch(epoch, device.id, tenant: device.tenant)
        case .stay: break
        case .stale: throw OAuthError.staleEpoch
        }
    }
}
