// SPDX-License-Identifier: Apache-2.0
internal import Crypto
internal import CryptoExtras
internal import FoundationEssentials

/// The form of the reply that one third-party client requires: AES-256-CBC with an empty tag, under the same header as
/// the authenticated form. Changed bytes are not detected, so this form is used only if the compatibility switch for
/// that client is on.
extension EncryptedReply {
    /// Encrypts without authentication.
    ///
    /// - Throws: the error of the cryptography library.
    package static func sealWithoutAuthentication(
        _ body: [UInt8], with key: SessionKey, using generator: inout some RandomNumberGenerator
    ) throws -> String {
        let context = RandomBytes.make(RequestContext.length, using: &generator)
        return try sealWithoutAuthentication(
            body, with: key, context: context, initialisationVector: RandomBytes.make(16, using: &generator))
    }

    static func sealWithoutAuthentication(
        _ body: [UInt8], with key: SessionKey, context: [UInt8], initialisationVector: [UInt8]
    ) throws -> String {
        let ciphertext = try AES._CBC.encrypt(
            body, using: key.derived(context: context), iv: AES._CBC.IV(ivBytes: initialisationVector))
        return compact(
            headerSegment(context), vector: initialisationVector, ciphertext: Array(ciphertext), tag: [])
    }

    /// Decrypts a reply without authentication.
    ///
    /// - Throws: ``JOSEFailure``.
    package static func openWithoutAuthentication(
        _ text: String, with key: SessionKey, limit: Int = 256 * 1024
    ) throws(JOSEFailure) -> [UInt8] {
        let parts = try segments(text, limit: limit)
        guard parts.initialisationVector.count == 16, parts.tag.isEmpty, !parts.ciphertext.isEmpty,
            parts.ciphertext.count % 16 == 0
        else { throw .unsupported }
        do {
            let derived = key.derived(context: try context(of: parts))
            return Array(
                try AES._CBC.decrypt(
                    parts.ciphertext, using: derived, iv: AES._CBC.IV(ivBytes: parts.initialisationVector)))
        } catch {
            throw .wrongSignature
        }
    }
}
