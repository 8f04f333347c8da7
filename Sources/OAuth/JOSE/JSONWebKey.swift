// SPDX-License-Identifier: Apache-2.0
internal import Crypto
package import CryptoExtras
internal import FoundationEssentials
internal import JSON

/// A public key as JSON (RFC 7517): RSA with 2048 to 4096 bits, or P-256.
package struct JSONWebKey: Sendable, Equatable {
    /// The key's numbers, big-endian; coordinates have 32 bytes.
    package enum Numbers: Sendable, Equatable {
        case rsa(modulus: [UInt8], exponent: [UInt8])
        case p256(x: [UInt8], y: [UInt8])
    }

    package let numbers: Numbers
    package let keyID: String?
    /// The DER of a certificate for the key, for clients that look keys up by certificate.
    package let certificate: [UInt8]?

    package init(numbers: Numbers, keyID: String? = nil) {
        self.numbers = numbers
        self.keyID = keyID
        certificate = nil
    }

    /// Makes the JWK of a verification key.
    ///
    /// - Throws: ``JOSEFailure`` `unusableKey` for a symmetric key, because it must never be published.
    package init(_ key: VerificationKey, keyID: String? = nil, certificate: [UInt8]? = nil) throws(JOSEFailure) {
        self.certificate = certificate
        switch key {
        case .rsa(let key), .rsaPSS(let key):
            guard let parts = try? key.getKeyPrimitives() else { throw .unusableKey }
            numbers = .rsa(modulus: Array(parts.modulus), exponent: Array(parts.publicExponent))
        case .p256(let key):
            let point = Array(key.rawRepresentation)
            numbers = .p256(x: Array(point.prefix(32)), y: Array(point.dropFirst(32)))
        case .symmetric:
            throw .unusableKey
        }
        self.keyID = keyID
    }

    /// Reads a JWK. Its numbers may also be in standard base64, as device registration clients write them.
    ///
    /// - Throws: ``JOSEFailure`` `malformed`, `unsupported`, `unusableKey`.
    package init(_ members: Members) throws(JOSEFailure) {
        certificate = nil
        keyID = (try? members.optionalString(JSONWebKeyName.keyID)) ?? nil
        switch members[JSONWebKeyName.keyType] {
        case .string("RSA"):
            numbers = .rsa(
                modulus: try Self.number(members, .modulus), exponent: try Self.number(members, .exponent))
        case .string("EC"):
            guard members[JSONWebKeyName.curve] == .string("P-256") else { throw .unsupported }
            numbers = .p256(x: try Self.number(members, .x), y: try Self.number(members, .y))
        default:
            throw .unsupported
        }
        _ = try verificationKey()
    }

    /// Returns the key as an object of the cryptography library, for verifying signatures.
    ///
    /// - Throws: ``JOSEFailure`` `unusableKey`.
    package func verificationKey() throws(JOSEFailure) -> VerificationKey {
        do {
            switch numbers {
            case .rsa(let modulus, let exponent):
                try Self.checkSizes(modulus: modulus, exponent: exponent)
                return .rsa(try _RSA.Signing.PublicKey(n: modulus, e: exponent))
            case .p256(let x, let y):
                guard x.count == 32, y.count == 32 else { throw JOSEFailure.unusableKey }
                return .p256(try P256.Signing.PublicKey(rawRepresentation: x + y))
            }
        } catch {
            throw .unusableKey
        }
    }

    /// Returns the key as an object of the cryptography library, for encrypting a session key to it.
    ///
    /// - Throws: ``JOSEFailure`` `unusableKey`; `unsupported` for an elliptic curve key.
    package func encryptionKey() throws(JOSEFailure) -> _RSA.Encryption.PublicKey {
        guard case .rsa(let modulus, let exponent) = numbers else { throw .unsupported }
        do {
            try Self.checkSizes(modulus: modulus, exponent: exponent)
            return try _RSA.Encryption.PublicKey(n: modulus, e: exponent)
        } catch {
            throw .unusableKey
        }
    }

    /// The SHA-256 thumbprint in base64url (RFC 7638), which Baton uses as `kid`.
    package var thumbprint: String { Base64URL.encode(SHA256.hash(data: canonical.bytes)) }

    /// The key's required members as JSON, for storing the key.
    package var encoded: [UInt8] { canonical.bytes }

    /// The key as a member of a key set, with `use` sig.
    package var published: MembersWriter {
        var members = canonical
        members.set(JSONWebKeyName.use, "sig")
        members.set(JSONWebKeyName.algorithm, algorithm.rawValue)
        members.set(JSONWebKeyName.keyID, keyID)
        if let certificate {
            members.set(
                JSONWebKeyName.certificateThumbprint, Base64URL.encode(Insecure.SHA1.hash(data: certificate)))
            members.set(JSONWebKeyName.certificates, [Base64.encode(certificate)])
        }
        return members
    }

    private var algorithm: SignatureAlgorithm {
        switch numbers {
        case .rsa: .rs256
        case .p256: .es256
        }
    }

    /// The required members in lexical order (RFC 7638 section 3.2).
    package var canonical: MembersWriter {
        var members = MembersWriter()
        switch numbers {
        case .rsa(let modulus, let exponent):
            members.set(JSONWebKeyName.exponent, Base64URL.encode(exponent))
            members.set(JSONWebKeyName.keyType, "RSA")
            members.set(JSONWebKeyName.modulus, Base64URL.encode(modulus))
        case .p256(let x, let y):
            members.set(JSONWebKeyName.curve, "P-256")
            members.set(JSONWebKeyName.keyType, "EC")
            members.set(JSONWebKeyName.x, Base64URL.encode(x))
            members.set(JSONWebKeyName.y, Base64URL.encode(y))
        }
        return members
    }

    private static func number(_ members: Members, _ name: JSONWebKeyName) throws(JOSEFailure) -> [UInt8] {
        do {
            return try Base64.decodeLeniently(try members.string(name))
        } catch {
            throw .malformed
        }
    }

    /// Limits the cost of an untrusted key: a huge modulus or exponent would make each use slow.
    private static func checkSizes(modulus: [UInt8], exponent: [UInt8]) throws(JOSEFailure) {
        let modulus = modulus.drop { $0 == 0 }
        guard (256...512).contains(modulus.count), (1...4).contains(exponent.drop { $0 == 0 }.count) else {
            throw .unusableKey
        }
    }
}
