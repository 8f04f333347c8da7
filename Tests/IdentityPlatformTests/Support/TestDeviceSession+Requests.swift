// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import IdentityPlatform
import OAuth
import Redaction
import Storage
import TestSupport
import Testing

/// Requests that other devices often make, but that Baton's own broker rarely makes.
extension TestDeviceSession {
    /// Returns the same session with a different PRT.
    func with(_ token: Sensitive<String>) -> TestDeviceSession {
        TestDeviceSession(
            testDevice: testDevice, reply: reply, key: key, counter: counter, brokerRefreshToken: brokerRefreshToken,
            token: token)
    }

    /// Signs a request to renew the PRT. Parameters that a test does not set are valid.
    func renewal(clientID: String = WellKnownApplication.broker, key: SessionKey? = nil) async throws -> String {
        var generator = SystemRandomNumberGenerator()
        let request = PrimaryRefreshToken.UseRequest(
            token: token, clientID: clientID, redirectURI: nil, scopes: PrimaryRefreshToken.scopes,
            nonce: try await testDevice.nonce())
        return try request.signed(
            with: key ?? self.key, now: Int(testDevice.fixture.clock.now.seconds), using: &generator)
    }

    func renew() async throws -> TestResponse {
        try await testDevice.send(PrimaryRefreshToken.form(request: try await renewal()))
    }

    /// Renews the PRT and returns the session with the new PRT.
    func renewed() async throws -> (session: TestDeviceSession, expiresIn: Int) {
        let answer = try await renew()
        #expect(answer.status == .ok, "\(answer.text)")
        let reply = try PrimaryRefreshToken.RenewalReply(decoding: try EncryptedReply.open(answer.text, with: key))
        return (with(reply.token), reply.expiresIn)
    }

    /// Posts a request as Windows does.
    func sendAsWindows(_ request: String, version: String = "2.2") async throws -> TestResponse {
        try await testDevice.fixture.client.post(
            "/common/oauth2/token",
            form: [
                "windows_api_version": version, "grant_type": GrantType.jwtBearer.rawValue, "request": request,
                "client_info": "1",
            ])
    }

    /// Signs a use request with the older key derivation.
    func olderRequest(_ claims: String) throws -> String {
        var generator = SystemRandomNumberGenerator()
        return try SessionSignedRequest.sign(
            payload: Array(claims.utf8), with: key, version: .one, using: &generator)
    }

    /// Returns a credential for the browser.
    func credential(nonce: String? = nil, key: SessionKey? = nil) async throws -> String {
        var generator = SystemRandomNumberGenerator()
        let fresh = try await testDevice.nonce()
        return try BrowserCredential(token: token, nonce: nonce ?? fresh)
            .signed(with: key ?? self.key, using: &generator)
    }
}
