// SPDX-License-Identifier: Apache-2.0
internal import CryptoExtras
internal import Hummingbird
internal import OAuth
internal import Redaction
internal import Storage

/// Issues a PRT to a device for the person whose proof the device presents.
struct IssuePrimaryRefreshToken: Sendable {
    let database: any Database
    let environment: ClockAndRandomness
    let storageKey: StorageKey
    let nonces: Nonces
    let tokens: TokenTransactions
    let issuer: TokenIssuer
    let passwords: Passwords
    let failedSignIns: FailedSignIns
    let receiptAuthorities: ReceiptAuthorities
    let metrics: IdentityMetrics
    /// Whether a device may present the person's password as the proof.
    let allowsPasswordProof: Bool

    init(_ platform: Platform) {
        (database, environment) = (platform.database, platform.environment)
        (storageKey, nonces, tokens) = (platform.storageKey, platform.nonces, platform.tokens)
        (issuer, passwords, failedSignIns) = (platform.issuer, platform.passwords, platform.failedSignIns)
        (receiptAuthorities, metrics) = (platform.receiptAuthorities, platform.metrics)
        allowsPasswordProof = platform.configuration.compatibility.passwordGrant
    }

    func respond(
        to token: CompactJWS, of proof: DeviceProof, in tenant: Tenant, _ request: TokenRequest
    ) async throws -> Response {
        let transportKey = try Self.encryptionKey(of: proof.device)
        guard let issue = try? PrimaryRefreshToken.IssueRequest(proof.claims) else {
            throw OAuthError.malformedSignedRequest
        }
        let acceptance = try nonces.accept(
            issue.nonce, signed: token.signingInput, for: .issue, by: proof.device.id.rawValue)
        guard issue.scopes.contains(Scopes.openID), issue.scopes.contains(Scopes.primaryRefreshToken) else {
            throw OAuthError.primaryScopeRequired
        }
        var generator = InjectedGenerator(environment: environment)
        let key = SessionKey.random(using: &generator)
        let primary = OpaqueToken(tenant: tenant.id, environment: environment)
        let sealed = try storageKey.seal(key, of: primary)
        let issued = try await counted(issue) {
            let person = try await person(issue, proof.device, from: request.peer)
            return try await passwords.using(person.password) { [tokens, passwords] in
                try await tokens.write { transaction in
                    try acceptance.record(in: transaction.connection)
                    try person.acceptance?.record(in: transaction.connection)
                    return try IssueTransaction(transaction: transaction, passwords: passwords)
                        .issue(primary, sealedKey: sealed, for: issue, to: proof.device.id, of: person, in: tenant)
                }
            }
        }
        let envelope = try SessionKeyEnvelope.seal(key, to: transportKey)
        var body = issued.reply(primary, tenant: tenant, sessionKey: envelope, by: issuer)
        if let epoch = issue.epoch {
            epoch.write(to: &body)
            body.set(
                ReplyName.receiptSubject, try await receiptAuthorities.subject(of: issued, on: proof.device))
            let isOffline = try await database.read { try OfflineRules.of(tenant.id, $0) } != nil
            if isOffline { body.set(ReplyName.offlineLeases, true) }
        }
        return Response(json: body)
    }

    /// Counts the outcome as a sign-in, unless the person has signed in before and proves it with a refresh token.
    private func counted<Outcome>(
        _ issue: PrimaryRefreshToken.IssueRequest, _ body: () async throws -> Outcome
    ) async throws -> Outcome {
        if case .refreshToken = issue.proof { return try await body() }
        do {
            let outcome = try await body()
            metrics.count(.primaryRefreshToken, .done)
            return outcome
        } catch {
            metrics.count(.primaryRefreshToken, IdentityMetrics.Outcome(error))
            throw error
        }
    }

    /// Checks the person's proof, as far as this is possible before the transaction.
    private func person(
        _ issue: PrimaryRefreshToken.IssueRequest, _ device: Device, from peer: PeerAddress
    ) async throws -> PersonProof {
        let tenant = device.tenant
        switch issue.proof {
        case .refreshToken(let text):
            guard let token = OpaqueToken(text.exposed), token.tenant == tenant else { throw OAuthError.badGrant }
            return .refreshToken(token)
        case .password(let name, let password):
            guard allowsPasswordProof else { throw OAuthError.passwordProofOff }
            let secret = SecretBytes(copying: password.exposed.utf8)
            let checked = try await passwords.check(
                name: name.exposed, password: secret, tenant: tenant,
                from: SignInOrigin(peer, device: device.id))
            guard let checked else {
                try await failedSignIns.record(
                    name: name.exposed, tenant: tenant, client: issue.clientID,
                    method: .primaryRefreshToken)
                throw OAuthError.badCredentials
            }
            return .password(checked, environment.identifier())
        case .helloKey(let assertion):
            let (key, acceptance) = try await helloKey(assertion, on: device)
            return .helloKey(key, environment.identifier(), acceptance)
        }
    }

    /// Returns the key that signed the assertion: a worker's own key (``HelloKey``), registered on this device.
    private func helloKey(
        _ text: Sensitive<String>, on device: Device
    ) async throws -> (HelloKey, Acceptance) {
        guard let unverified = try? WindowsHelloAssertion.Unverified(text.exposed) else {
            throw OAuthError.badAssertion
        }
        let found = try await database.read { connection in
            try HelloKeys(connection).find(hash: unverified.keyHash, device: device.id, tenant: device.tenant)
                .map { ($0, try Users(connection).find($0.person, tenant: device.tenant)) }
        }
        guard let (key, person) = found, let person,
            let assertion = try? unverified.verified(with: try key.key.verificationKey()),
            assertion.userName.lowercased() == person.userPrincipalName.lowercased(),
            Int64(assertion.expiresAt) > environment.now().seconds
        else { throw OAuthError.badAssertion }
        let acceptance = try nonces.accept(
            assertion.nonce, signed: unverified.signingInput, for: .assertion, by: device.id.rawValue)
        return (key, acceptance)
    }

    /// Returns the key that session keys are encrypted to. A device with an elliptic-curve transport key would need key
    /// agreement, which is not supported.
    private static func encryptionKey(of device: Device) throws -> _RSA.Encryption.PublicKey {
        let members = try Members(decoding: device.credentials.transportKey)
        do { return try JSONWebKey(members).encryptionKey() } catch .unsupported { throw OAuthError.curveTransportKey }
    }
}
