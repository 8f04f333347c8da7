// SPDX-License-Identifier: Apache-2.0
internal import Files
internal import OAuth
internal import Redaction

/// The client of a script, which proves who it is with a private key (`private_key_jwt`, RFC 7523).
package struct ApplicationSignIn: Sendable {
    package let clientID: String
    private let key: SigningKey

    /// For how many seconds an assertion is valid.
    private static let lifetime = 300

    /// Reads the key.
    ///
    /// - Parameter path: a PEM file that only this user may read.
    /// - Throws: ``CommandFailure`` `key_file_unsafe`, `key_file_unreadable` or `key_file_malformed`.
    package init(clientID: String, key path: String) throws {
        let content: [UInt8]?
        do { content = try PrivateFile(path: path).read(limit: 64 << 10) } catch {
            throw PrivateFileFailure.reading(error, code: "key_file", path)
        }
        guard var content else {
            throw CommandFailure(
                code: "key_file_unreadable", message: "There is no file \(path).",
                remedy: "Name the file with the client's private key with --key.")
        }
        let secret = SecretBytes(consuming: &content)
        let pem = unsafe secret.withUnsafeBytes { unsafe String(decoding: $0, as: UTF8.self) }
        do { key = try SigningKey(pem: pem) } catch {
            throw CommandFailure(
                code: "key_file_malformed", message: "\(path) contains no private key that can be used.",
                remedy: "Use an unencrypted key in PEM format: RSA of 2048 bits or more, or ECDSA on P-256.")
        }
        self.clientID = clientID
    }

    /// Requests an access token (RFC 6749 section 4.4).
    ///
    /// - Parameter now: seconds since 1970.
    /// - Throws: ``CommandFailure``.
    func tokens(at server: AuthorizationServer, scope: Scopes, now: Int) async throws -> TokenReply {
        do {
            var form = FormParameters()
            form.append(ParameterName.grantType, GrantType.clientCredentials.rawValue)
            form.append(ParameterName.clientID, clientID)
            form.append(ParameterName.scope, scope.text)
            form.append(ParameterName.clientAssertionType, "urn:ietf:params:oauth:client-assertion-type:jwt-bearer")
            form.append(ParameterName.clientAssertion, try assertion(for: server.tokenEndpoint, now: now))
            return try await server.tokens(for: form)
        } catch let error as OAuthError {
            guard error.number != OAuthError.ambiguousTenantNumber else { throw AuthorizationServer.tenantUnnamed }
            throw CommandFailure(
                code: "sign_in_refused",
                message: "The client was refused (\(PersonSignIn.words(of: error))).",
                remedy: remedy(for: error.number))
        } catch let failure as WebFailure {
            throw failure.failure(at: ServerURL(server.tokenEndpoint)?.origin ?? server.tokenEndpoint)
        }
    }

    private func remedy(for number: Int) -> String {
        let client = TextTable.printable(clientID)
        return switch number {
        case OAuthError.disabledClientNumber:
            "Have an administrator enable the application: baton admin client enable \(client)."
        case OAuthError.unknownClientNumber:
            "Check --client-id and --tenant. An administrator lists the applications with: baton admin client list."
        case OAuthError.noConsentNumber, OAuthError.noApplicationPermissionNumber:
            "Have a Global Administrator grant the application a permission: "
                + "baton admin client permission grant \(client) PERMISSION."
        case OAuthError.assertionSignatureNumber:
            "Check --key, or have an administrator register the key: baton admin client key add \(client) FILE."
        default: "Check --client-id, --key and --tenant, and that an administrator has registered the key."
        }
    }

    /// Returns the client's assertion about itself (RFC 7523 section 3).
    private func assertion(for audience: String, now: Int) throws -> String {
        var claims = MembersWriter()
        claims.set(ClaimName.issuer, clientID)
        claims.set(ClaimName.subject, clientID)
        claims.set(ClaimName.audience, audience)
        claims.set(ClaimName.issuedAt, now)
        claims.set(ClaimName.notBefore, now)
        claims.set(ClaimName.expiresAt, now + Self.lifetime)
        claims.set(ClaimName.jwtID, ProofKey.verifier())
        var header = MembersWriter()
        header.set(HeaderName.type, "JWT")
        header.set(HeaderName.algorithm, key.algorithm.rawValue)
        return try TokenSigner(key: key, header: header).token(payload: claims.bytes)
    }
}
