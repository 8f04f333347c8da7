// SPDX-License-Identifier: Apache-2.0
internal import HTTPTypes
internal import Hummingbird
internal import OAuth
internal import Storage

/// Signs a browser in by the device's primary refresh token: what the broker on the device puts beside the browser's own
/// request, as a header or a cookie (MS-OAPXBC).
///
/// A credential that is not right is ignored, and the person is asked as if there were none; only for one whose nonce is too
/// old the browser is sent round once more with a fresh nonce.
struct BrowserSignOn: Sendable {
    let platform: Platform

    /// The nonce was too old: the browser has to come again with this one.
    struct StaleNonce: Error {
        /// Path and query, with a fresh `sso_nonce`.
        let address: String
    }

    /// Who is signed in on the device that the browser runs on; nil where the browser brings no good credential.
    ///
    /// - Throws: ``StaleNonce``, ``StorageError``
    func signedIn(_ request: Request, _ tenant: Tenant) async throws -> (Session, User)? {
        guard request.method == .get, let text = Self.credential(in: request) else { return nil }
        do {
            let token = try CompactJWS(request: text)
            let found = try await person(token, tenant)
            try await judgeDevice(beside: request, found.device, tenant)
            try platform.nonces.accept(found.nonce, signed: token.signingInput, for: .browser)
            if !found.isConfirmed {
                try await platform.database.write { try PrimaryRefreshTokens($0).confirm(found.token) }
            }
            return (found.session, found.user)
        } catch let error as OAuthError where error == .staleNonce {
            guard let address = try fresherAddress(of: request) else { return nil }
            throw StaleNonce(address: address)
        } catch is OAuthError {
            return nil
        }
    }

    private static func credential(in request: Request) -> String? {
        request.headers[.refreshTokenCredential]
            ?? request.cookies[BrowserCredential.name]?.value
    }

    private struct Found: Sendable {
        let session: Session
        let user: User
        let token: OpaqueToken
        let device: DeviceID
        let nonce: String
        let isConfirmed: Bool
    }

    private func person(_ token: CompactJWS, _ tenant: Tenant) async throws -> Found {
        let (unverified, primary) = try platform.sessionSigned(token)
        guard primary.tenant == tenant.id else { throw OAuthError.badGrant }
        return try await platform.database.read { [platform] connection in
            let proven = try ProvenPrimaryRefreshToken(unverified, primary, platform, connection)
            guard
                PrimaryRefreshTokenRule.judge(
                    proven.record, successor: nil, isRenewal: false, at: platform.ambient.now()) == .good,
                let credential = try? BrowserCredential(proven.claims)
            else { throw OAuthError.badGrant }
            let live = try LiveSession(proven.record.session, tenant: tenant.id, connection)
            guard live.session.device?.id == proven.record.device else { throw OAuthError.badGrant }
            return Found(
                session: live.session, user: live.person, token: primary, device: proven.record.device,
                nonce: credential.nonce, isConfirmed: proven.record.isConfirmed)
        }
    }

    /// Where the device has signed beside it, too, it has to be the token's device.
    private func judgeDevice(beside request: Request, _ device: DeviceID, _ tenant: Tenant) async throws {
        guard let text = request.headers[.deviceCredential] else { return }
        let token = try CompactJWS(request: text)
        let proof = try await platform.deviceProof(token, tenant: tenant.id)
        guard proof.device.id == device, let nonce = try? proof.claims.string(ClaimName.requestNonce) else {
            throw OAuthError.unknownDevice
        }
        try platform.nonces.accept(nonce, signed: token.signingInput, for: .browser)
    }

    /// The same request with a fresh nonce; nil where it had one already, so that nobody is sent round in circles.
    private func fresherAddress(of request: Request) throws -> String? {
        var parameters = try request.queryParameters()
        if let offered = parameters[ParameterName.ssoNonce], platform.nonces.isFresh(offered) { return nil }
        parameters.replace(ParameterName.ssoNonce, platform.nonces.make())
        return "\(request.uri.path)?\(parameters.encoded)"
    }
}
