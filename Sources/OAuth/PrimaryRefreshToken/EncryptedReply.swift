// SPDX-License-Identifier: Apache-2.0
internal import Crypto
internal import FoundationEssentials
internal import JSON

/// The reply to a PRT use request: a compact JWE with `alg` dir, under a key derived from the session key. The
/// derivation is always version 1, with the context from the reply's own header.
package enum EncryptedReply {
    /// Encrypts a reply with AES-256-GCM and the header as additional data, as a standard JWE.
    ///
    /// - Throws: the error of the cryptography library.
    package static func seal(
        _ body: [UInt8], with key: SessionKey, using generator: inout some RandomNumberGenerator
    ) throws -> String {
        let context = RandomBytes.make(RequestContext.length, using: &generator)
        return try seal(
            body, with: key, context: context, initialisationVector: RandomBytes.make(12, using: &generator))
    }

    static func seal(
        _ body: [UInt8], with key: SessionKey, context: [UInt8], initialisationVector: [UInt8]
    ) throws -> String {
        let header = headerSegment(context)
        let sealed = try AES.GCM.seal(
            body, using: key.derived(context: context), nonce: AES.GCM.Nonce(data: initialisationVector),
            authenticating: header)
        return compact(
            header, vector: initialisationVector, ciphertext: Array(sealed.ciphertext), tag: Array(sealed.tag))
    }

    /// Decrypts a reply of at most `limit` bytes.
    ///
    /// - Throws: ``JOSEFailure``; `wrongSignature` if the key is wrong or a byte was changed, `unsupported` for the
    ///   unauthenticated form.
    package static func open(
        _ text: String, with key: SessionKey, limit: Int = 256 * 1024
    ) throws(JOSEFailure) -> [UInt8] {
        let parts = try segments(text, limit: limit)
        guard parts.initialisationVector.count == 12, parts.tag.count == 16 else { throw .unsupported }
        do {
            let box = try AES.GCM.SealedBox(
                nonce: AES.GCM.Nonce(data: parts.initialisationVector), ciphertext: parts.ciphertext, tag: parts.tag)
            let derived = key.derived(context: try context(of: parts))
            return Array(try AES.GCM.open(box, using: derived, authenticating: parts.authenticated))
        } catch {
            throw .wrongSignature
        }
    }

    static func segments(_ text: String, limit: Int) throws(JOSEFailure) -> EncryptedSegments {
        let parts = try EncryptedSegments(text, limit: limit)
        guard parts.header[HeaderName.algorithm] == .string("dir"),
            parts.header[HeaderName.encryption] == .string(EncryptedSegments.gcm)
        else { throw .unsupported }
        guard parts.encryptedKey.isEmpty else { throw .malformed }
        return parts
    }

    static func context(of parts: EncryptedSegments) throws(JOSEFailure) -> [UInt8] {
        try RequestContext.read(parts.header)
    }

    static func headerSegment(_ context: [UInt8]) -> [UInt8] {
        var header = MembersWriter()
        header.set(HeaderName.algorithm, "dir")
        header.set(HeaderName.encryption, EncryptedSegments.gcm)
        header.set(HeaderName.context, Base64.encode(context))
        return Array(Base64URL.encode(header.bytes).utf8)
    }

    static func compact(
        _ header: [UInt8], vector: [UInt8], ciphertext: [UInt8], tag: [UInt8]
    ) -> String {
        String(decoding: header, as: UTF8.self) + ".."
            + [vector, ciphertext, tag].map { Base64URL.encode($0) }.joined(separator: ".")
    }
}
