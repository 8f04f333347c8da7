// SPDX-License-Identifier: Apache-2.0
internal import Crypto
internal import Redaction
internal import SwiftASN1

extension PKCS12 {
    /// The number of iterations of each key derivation in a container that is written.
    package static let standardIterations = 10_000

    /// Returns the container, which consists of the encrypted certificates, the encrypted key, and a MAC over both.
    ///
    /// - Parameter random: returns the given number of random bytes.
    /// - Throws: ``PKCS12Error`` if key and certificate cannot be written.
    package func container(
        password: String, iterations: Int = standardIterations, random: (Int) -> [UInt8]
    ) throws(PKCS12Error) -> [UInt8] {
        guard let leaf = certificates.first else { throw .mismatch }
        let keyID = Array(Insecure.SHA1.hash(data: leaf))
        func cipher() -> PasswordCipher {
            PasswordCipher(salt: random(16), iterations: iterations, vector: random(16))
        }
        let certificateCipher = cipher()
        let certificatePart = try certificateCipher.encrypt(certificateBags(keyID: keyID), password: password)
        let keyCipher = cipher()
        let authentication = Authentication(salt: random(16), iterations: iterations)
        do {
            var key = privateKey.withBytes { span in (0..<span.byteCount).map { Self.byte(span, $0) } }
            defer { wipe(&key) }
            let shrouded = try keyCipher.encrypt(key, password: password)
            let safe = try Self.authenticatedSafe(
                certificates: (certificateCipher, certificatePart), key: (keyCipher, shrouded), keyID: keyID)
            let tag = authentication.tag(over: safe, password: password)
            return try Self.container(safe: safe, authentication: authentication, tag: tag)
        } catch { throw error as? PKCS12Error ?? .malformed }
    }

    private static func byte(_ span: RawSpan, _ offset: Int) -> UInt8 {
        unsafe span.unsafeLoad(fromByteOffset: offset, as: UInt8.self)
    }

    /// Returns the PFX structure (section 4).
    private static func container(safe: [UInt8], authentication: Authentication, tag: [UInt8]) throws -> [UInt8] {
        var coder = DER.Serializer()
        try coder.sequence { coder in
            try coder.serialize(3)
            try coder.contentInfo(.data) { try $0.serialize(ASN1OctetString(contentBytes: safe[...])) }
            try coder.sequence { coder in
                try coder.sequence { coder in
                    try coder.sequence { coder in
                        try coder.serialize(ASN1ObjectIdentifier.sha256Digest)
                        try coder.serialize(ASN1Null())
                    }
                    try coder.serialize(ASN1OctetString(contentBytes: tag[...]))
                }
                try coder.serialize(ASN1OctetString(contentBytes: authentication.salt[...]))
                try coder.serialize(authentication.iterations)
            }
        }
        return coder.serializedBytes
    }

    private typealias Sealed = (cipher: PasswordCipher, bytes: [UInt8])

    private static func authenticatedSafe(certificates: Sealed, key: Sealed, keyID: [UInt8]) throws -> [UInt8] {
        var keyBags = DER.Serializer()
        try keyBags.sequence { coder in
            try coder.bag(.shroudedKeyBag, keyID: keyID) { coder in
                try coder.sequence { coder in
                    try coder.serialize(key.cipher)
                    try coder.serialize(ASN1OctetString(contentBytes: key.bytes[...]))
                }
            }
        }
        var coder = DER.Serializer()
        try coder.sequence { coder in
            try coder.contentInfo(.encryptedData) { coder in
                try coder.sequence { coder in
                    try coder.serialize(0)
                    try coder.sequence { coder in
                        try coder.serialize(ASN1ObjectIdentifier.data)
                        try coder.serialize(certificates.cipher)
                        try ASN1OctetString(contentBytes: certificates.bytes[...])
                            .serialize(into: &coder, withIdentifier: .zeroTag)
                    }
                }
            }
            try coder.contentInfo(.data) {
                try $0.serialize(ASN1OctetString(contentBytes: keyBags.serializedBytes[...]))
            }
        }
        return coder.serializedBytes
    }

    /// Returns the SafeContents with the certificates. The leaf certificate has the key's identifier as an attribute.
    private func certificateBags(keyID: [UInt8]) throws(PKCS12Error) -> [UInt8] {
        do {
            var coder = DER.Serializer()
            try coder.sequence { coder in
                for (index, certificate) in certificates.enumerated() {
                    try coder.bag(.certificateBag, keyID: index == 0 ? keyID : nil) { coder in
                        try coder.sequence { coder in
                            try coder.serialize(ASN1ObjectIdentifier.x509Certificate)
                            try coder.explicit { coder in
                                try coder.serialize(ASN1OctetString(contentBytes: certificate[...]))
                            }
                        }
                    }
                }
            }
            return coder.serializedBytes
        } catch { throw .malformed }
    }
}

extension DER.Serializer {
    fileprivate mutating func sequence(_ body: (inout DER.Serializer) throws -> Void) throws {
        try appendConstructedNode(identifier: .sequence, body)
    }

    fileprivate mutating func explicit(_ body: (inout DER.Serializer) throws -> Void) throws {
        try appendConstructedNode(identifier: .zeroTag, body)
    }

    fileprivate mutating func contentInfo(
        _ type: ASN1ObjectIdentifier, _ body: (inout DER.Serializer) throws -> Void
    ) throws {
        try sequence { coder in
            try coder.serialize(type)
            try coder.explicit(body)
        }
    }

    fileprivate mutating func bag(
        _ type: ASN1ObjectIdentifier, keyID: [UInt8]?, _ body: (inout DER.Serializer) throws -> Void
    ) throws {
        try sequence { coder in
            try coder.serialize(type)
            try coder.explicit(body)
            guard let keyID else { return }
            try coder.appendConstructedNode(identifier: .set) { coder in
                try coder.sequence { coder in
                    try coder.serialize(ASN1ObjectIdentifier.localKeyID)
                    try coder.appendConstructedNode(identifier: .set) { coder in
                        try coder.serialize(ASN1OctetString(contentBytes: keyID[...]))
                    }
                }
            }
        }
    }

    /// Writes the algorithm identifier of PBES2 with its parameters (RFC 8018 appendix A.4).
    fileprivate mutating func serialize(_ cipher: PKCS12.PasswordCipher) throws {
        try sequence { coder in
            try coder.serialize(ASN1ObjectIdentifier.pbes2)
            try coder.sequence { coder in
                try coder.sequence { coder in
                    try coder.serialize(ASN1ObjectIdentifier.pbkdf2)
                    try coder.sequence { coder in
                        try coder.serialize(ASN1OctetString(contentBytes: cipher.salt[...]))
                        try coder.serialize(cipher.iterations)
                        try coder.sequence { coder in
                            try coder.serialize(ASN1ObjectIdentifier.hmacSHA256)
                            try coder.serialize(ASN1Null())
                        }
                    }
                }
                try coder.sequence { coder in
                    try coder.serialize(ASN1ObjectIdentifier.aes256CBC)
                    try coder.serialize(ASN1OctetString(contentBytes: cipher.vector[...]))
                }
            }
        }
    }
}
