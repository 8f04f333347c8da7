// SPDX-License-Identifier: Apache-2.0
internal import HTTPTypes
internal import Hummingbird
internal import OAuth
internal import Storage

/// Signs a browser in with the device's primary refresh token. The device's broker adds a credential to the browser's
/// request, as a header or a cookie (MS-OAPXBC).
///
/// An invalid credential is ignored, and the person signs in by hand. If a credential's nonce is too old or was issued
/// to another browser, the browser is redirected once with a fresh nonce that is bound to this browser. A credential in
/// a cookie is accepted only with a nonce bound to this browser, unless the operator allows unbound nonces: a site that
/// can plant a cookie could otherwise sign the browser in as somebody else. A credential in a header may have an
/// unbound nonce, because only a program on the browser's own machine can add a header.
struct BrowserSignOn: Sendable {
    let database: any Database
    let environment: ClockAndRandomness
    let nonces: Nonces
    let tokens: TokenTransactions
    let proofs: DeviceProofs
    let compatibility: Compatibility

    init(_ platform: Platform) {
        (database, environment, nonces) = (platform.database, platform.environment, platform.nonces)
        (tokens, proofs) = (platform.tokens, platform.deviceProofs)
        compatibility = platform.configuration.compatibility
    }

    /// The nonce is too old or is not bound to this browser. The browser must repeat the request with a fresh nonce.
    struct StaleNonce: Error {
        /// The path and query of the request, with a fresh `sso_nonce`.
        let address: String
    }

    /// Runs a route. A browser that has a credential but no form cookie (``HostCookie/csrf``) gets such a cookie, so
    /// that the browser's later requests can be assigned to the credential's device.
    func naming(_ request: Request, _ route: (Request) async throws -> Response) async throws -> Response {
        guard Self.credential(in: request) != nil, HostCookie.csrf.word(in: request) == nil else {
            return try await route(request)
        }
        let word = Base64URL.encode(environment.randomBytes(32))
        var response = try await route(HostCookie.csrf.adding(word, to: request))
        HostCookie.csrf.set(word, on: &response)
        return response
    }

    /// Returns the session and the person signed in on the device that runs the browser; nil if the request has no
    /// valid credential, or if the credential belongs to another organisation. With a valid credential, the browser
    /// belongs to that device from then on.
    ///
    /// - Throws: ``StaleNonce``; ``OAuthError`` `otherPersonOnDevice` if the browser already belongs to another device,
    ///   or to another worker or epoch of a shared device; ``StorageError``
    func signedIn(_ request: Request, _ tenant: Tenant) async throws -> (Session, User)? {
        guard request.method == .get, let text = Self.credential(in: request) else { return nil }
        do {
            let token = try CompactJWS(request: text)
            let found = try await person(token)
            let ofDevice = try await judgeDevice(beside: request, found.device, found.session.tenant)
            let ofBrowser = try accept(found.nonce, of: token, in: request, by: found.device)
            try await settle(found, BrowserID(request), recording: [ofDevice, ofBrowser].compactMap(\.self))
            return found.session.tenant == tenant.id ? (found.session, found.user) : nil
        } catch let error as OAuthError where error == .staleNonce {
            guard let address = try fresherAddress(of: request) else { return nil }
            throw StaleNonce(address: address)
        } catch let error as OAuthError where error == .otherPersonOnDevice {
            throw error
        } catch is OAuthError {
            return nil
        }
    }

    static func credential(in request: Request) -> String? {
        header(of: request) ?? request.cookies[BrowserCredential.name]?.value
    }

    private static func header(of request: Request) -> String? {
        request.headers[.refreshTokenCredential]
    }

    private func accept(
        _ nonce: String, of token: CompactJWS, in request: Request, by device: DeviceID
    ) throws(OAuthError) -> Acceptance {
        try nonces.accept(
            nonce, signed: token.signingInput, in: BrowserID(request),
            allowsUnbound: Self.header(of: request) != nil || compatibility.unboundCredentialCookie,
            by: device.rawValue)
    }

    private struct Found: Sendable {
        let session: Session
        let user: User
        let token: OpaqueToken
        let device: DeviceID
        let nonce: String
        let isConfirmed: Bool
    }

    /// Records that the device has received the token and that the browser belongs to the device.
    private func settle(
        _ found: Found, _ browser: BrowserID?, recording acceptances: [Acceptance]
    ) async throws {
        try await database.write { connection in
            for acceptance in acceptances { try acceptance.record(in: connection) }
            let tenant = found.session.tenant
            let live = try LiveSession(found.session.id, tenant: tenant, connection)
            if !found.isConfirmed { try PrimaryRefreshTokens(connection).confirm(found.token) }
            guard let browser else { return }
            try DeviceBrowsers(connection).claim(browser, for: live.session, at: environment.now())
        }
    }

    /// Returns the session and the person that a credential belongs to. Does not check the nonce.
    private func person(_ token: CompactJWS) async throws -> Found {
        let (unverified, primary) = try tokens.sessionSigned(token)
        let tenant = primary.tenant
        return try await tokens.read { transaction in
            let proven = try ProvenPrimaryRefreshToken(unverified, of: primary, in: transaction)
            guard
                RenewalRule.judge(
                    proven.record, successor: nil, isRenewal: false, at: transaction.now) == .good,
                let credential = try? BrowserCredential(proven.claims)
            else { throw OAuthError.badGrant }
            let live = try LiveSession(proven.record.session, tenant: tenant, transaction.connection)
            guard live.session.device?.id == proven.record.device else { throw OAuthError.badGrant }
            return Found(
                session: live.session, user: live.person, token: primary, device: proven.record.device,
                nonce: credential.nonce, isConfirmed: proven.record.isConfirmed)
        }
    }

    /// Checks the device's own credential, if the request has one. The credential must come from the device to which
    /// the primary refresh token was issued. Returns the acceptance of the device's credential.
    private func judgeDevice(
        beside request: Request, _ device: DeviceID, _ tenant: TenantID
    ) async throws -> Acceptance? {
        guard let text = request.headers[.deviceCredential] else { return nil }
        let token = try CompactJWS(request: text)
        let proof = try await proofs.check(token, tenant: tenant)
        guard proof.device.id == device,
            (try? proof.claims.string(ClaimName.grantType)) == BrowserCredential.deviceGrantType,
            let nonce = try? proof.claims.string(ClaimName.requestNonce)
        else {
            throw OAuthError.unknownDevice
        }
        return try accept(nonce, of: token, in: request, by: device)
    }

    /// Returns the path and query of the same request with a fresh nonce. Returns nil if the request already had a
    /// fresh nonce, to prevent a redirect loop.
    private func fresherAddress(of request: Request) throws -> String? {
        var parameters = try request.queryParameters()
        if let offered = parameters[ParameterName.ssoNonce], nonces.isFresh(offered) { return nil }
        parameters.replace(
            ParameterName.ssoNonce, BrowserID(request).map(nonces.make(for:)) ?? nonces.make())
        return "\(request.ownPath)?\(parameters.encoded)"
    }
}
