// SPDX-License-Identifier: Apache-2.0
internal import Crypto
internal import Encodings
internal import FoundationEssentials
internal import OAuth
internal import Storage

/// Joins a device: checks the request, issues a certificate for the device's key and stores the device.
struct DeviceRegistration: Sendable {
    let database: any Database
    let environment: ClockAndRandomness
    let nonces: Nonces
    let authorities: DeviceAuthorities
    let limits: DeviceConfiguration

    init(_ platform: Platform) {
        (database, environment) = (platform.database, platform.environment)
        (nonces, authorities) = (platform.nonces, platform.deviceAuthorities)
        limits = platform.configuration.devices
    }

    /// Joins the device on behalf of the person to whom `token` was issued.
    ///
    /// - Throws: ``RegistrationError``, ``StorageError``, or an error of the cryptography library.
    func join(
        _ request: JoinRequest, in version: RegistrationVersion, by token: AccessToken
    ) async throws -> JoinReply {
        let description = try JoinDescription(request)
        let (key, acceptance) = try provenKey(
            request.certificateRequest, in: version, by: token.user.id)
        let (begin, id) = (environment.now(), environment.identifier(of: DeviceBinding.self))
        let end = begin + limits.certificateLifetime
        let authority = try await authorities.authority(of: token.tenant)
        let certificate = try authority.issue(
            DeviceAuthority.Subject(
                device: id, user: token.user.id, tenant: token.tenant, joinType: request.joinType,
                region: limits.region, key: key),
            from: begin, to: end)
        let device = Device(
            tenant: token.tenant, id: id, objectID: environment.identifier(),
            displayName: description.displayName.isEmpty ? id.rawValue : description.displayName,
            operatingSystem: description.operatingSystem,
            operatingSystemVersion: description.operatingSystemVersion,
            trustType: request.joinType == .join ? .joined : .registered,
            profileType: request.isShared ? .shared : .personal, isEnabled: true, isManaged: false,
            credentials: Device.Credentials(
                certificateHash: Array(SHA256.hash(data: certificate)), certificateExpires: end,
                deviceKey: key.publicKeyInfo ?? [],
                transportKey: request.transportKey.key.encoded),
            registered: begin, registeredOwner: request.isShared ? nil : token.user.id, epoch: nil,
            isEpochClosed: false)
        try await add(device, for: token, acceptance)
        return JoinReply(
            certificate: certificate, thumbprint: Hexadecimal.text(Insecure.SHA1.hash(data: certificate), .upper),
            userPrincipalName: token.user.userPrincipalName)
    }

    /// Adds the device if the person may join it. Writes an audit entry in either case.
    private func add(_ device: Device, for token: AccessToken, _ acceptance: Acceptance?) async throws {
        let (limit, person) = (limits.devicesPerPerson, token.user)
        let refusal = try await database.write { [environment] connection -> RegistrationError? in
            do { try acceptance?.record(in: connection) } catch is OAuthError { throw RegistrationError.staleNonce }
            try token.confirm(connection)
            let (devices, log) = (Devices(connection), AuditLog(connection))
            let rules = try DeviceRegistrationRules.of(person.tenant, connection) ?? .standard
            let now = environment.now()
            let roles = try HeldRoles(of: person.id, tenant: person.tenant, at: now, connection)
            let refusal = DeviceRegistrationPolicy(rules: rules, devicesPerPerson: limit).refusal(
                of: device,
                to: DeviceRegistrationPolicy.Candidate(
                    id: person.id, roles: roles.all,
                    owned: try devices.owned(by: person.id, tenant: person.tenant).count))
            if refusal != nil {
                try log.appendOrCount(
                    AuditLine(
                        .deviceJoined, tenant: person.tenant, actor: person.id.rawValue, subject: nil,
                        outcome: "refused", at: device.registered))
                return refusal
            }
            if device.profileType == .shared,
                case .breakGlass(let grant) = roles.match(anyOf: DeviceRegistrationPolicy.sharedDeviceRoles)
            {
                try BreakGlassGrants(connection).recordUse(grant, for: "device.join", at: now)
            }
            // If a shared device does not receive the response to its join, it joins again. Its former registration,
            // which was never used, is then removed.
            for former in try devices.unused(with: device.credentials.deviceKey, like: device) {
                _ = try devices.remove(former, tenant: person.tenant, at: device.registered, by: person.id.rawValue)
                try log.append(
                    AuditLine(
                        .deviceRemoved, tenant: person.tenant, actor: person.id.rawValue, subject: former.rawValue,
                        at: device.registered))
            }
            try devices.add(device)
            try log.append(
                AuditLine(
                    .deviceJoined, tenant: person.tenant, actor: person.id.rawValue, subject: device.id.rawValue,
                    at: device.registered))
            return nil
        }
        if let refusal { throw refusal }
    }

    /// Returns the key of a certificate request after verifying that the request is signed with it. If the request
    /// contains a nonce, this server must have issued the nonce recently, and the same request must not have been
    /// accepted before.
    private func provenKey(
        _ der: [UInt8], in version: RegistrationVersion, by person: UserID
    ) throws(RegistrationError) -> (VerificationKey, Acceptance?) {
        let request: DeviceKeyRequest
        do { request = try DeviceKeyRequest(decoding: der) } catch .unusableKey {
            throw .unusableKey
        } catch {
            throw RegistrationError(.badRequest, "The certificate request does not parse or is not signed by its key.")
        }
        switch (request.key, version) {
        case (.rsa, .one), (.rsa, .two), (.p256, .three): break
        default: throw .unusableKey
        }
        guard let nonce = request.nonce else { return (request.key, nil) }
        do {
            return (request.key, try nonces.accept(nonce, signed: der, for: .join, by: person.rawValue))
        } catch {
            throw .staleNonce
        }
    }
}

extension RegistrationError {
    fileprivate static let staleNonce = RegistrationError(
        .badRequest, "The certificate request's nonce is not fresh. Request a new one and sign again.")
}
