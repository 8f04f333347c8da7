// SPDX-License-Identifier: Apache-2.0
package import Redaction

/// A request signed with a key derived from a PRT's session key (HS256). It uses or renews the PRT, or is a browser
/// credential.
package enum SessionSignedRequest {
    /// Signs `payload` with a new context.
    ///
    /// - Throws: the error of the cryptography library.
    package static func sign(
        payload: [UInt8], with key: SessionKey, version: KeyDerivationVersion = .two,
        using generator: inout some RandomNumberGenerator
    ) throws -> String {
        let context = RandomBytes.make(RequestContext.length, using: &generator)
        return try sign(payload: payload, with: key, version: version, context: context)
    }

    static func sign(
        payload: [UInt8], with key: SessionKey, version: KeyDerivationVersion, context: [UInt8]
    ) throws -> String {
        var header = MembersWriter()
        header.set(HeaderName.algorithm, SignatureAlgorithm.hs256.rawValue)
        header.set(HeaderName.context, Base64.encode(context))
        if version == .two { header.set(HeaderName.keyDerivationVersion, version.rawValue) }
        let derived = key.derived(context: context, payload: payload, version: version)
        return try TokenSigner(key: .symmetric(derived), header: header).token(payload: payload)
    }

    /// A request whose signature has not been checked. It names the PRT, so that the PRT's session key can be looked
    /// up.
    package struct Unverified: Sendable {
        /// The PRT that the sender claims to have. Use it only to look up the session key.
        package let primaryRefreshToken: Sensitive<String>
        package let keyDerivationVersion: KeyDerivationVersion
        private let token: CompactJWS
        private let context: [UInt8]
        private let claims: Members

        /// Parses the request.
        ///
        /// - Throws: ``JOSEFailure``.
        package init(_ token: CompactJWS) throws(JOSEFailure) {
            guard token.algorithm == .hs256 else { throw .unsupported }
            self.token = token
            context = try RequestContext.read(token.header)
            do {
                let number = try token.header.lenientInteger(HeaderName.keyDerivationVersion) ?? 1
                guard let version = KeyDerivationVersion(rawValue: number) else { throw JOSEFailure.unsupported }
                keyDerivationVersion = version
                claims = try token.claims()
                primaryRefreshToken = Sensitive(try claims.string(ClaimName.refreshToken))
            } catch let failure as JOSEFailure {
                throw failure
            } catch {
                throw .malformed
            }
        }

        /// Checks the signature and returns the payload's members.
        ///
        /// - Throws: ``JOSEFailure`` `wrongSignature`.
        package func verified(with key: SessionKey) throws(JOSEFailure) -> Members {
            let derived = key.derived(
                context: context, payload: token.rawPayload, version: keyDerivationVersion)
            try token.verify(with: .symmetric(derived))
            return claims
        }
    }
}
