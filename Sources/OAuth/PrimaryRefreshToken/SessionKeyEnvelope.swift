// SPDX-License-Identifier: Apache-2.0
internal import Crypto
package import CryptoExtras
internal import FoundationEssentials
internal import JSON
package import Redaction

/// `session_key_jwe`: the session key, encrypted to the device's transport key (compact JWE, RFC 7516).
///
/// Every client of this dialect requires RSA-OAEP with SHA-1; OAEP's security does not depend on the hash's collision
/// resistance. All known clients treat the JWE's body as filler: the *encrypted key* is the message.
package enum SessionKeyEnvelope {
    /// The header that all known clients accept.
    static let header = Array(#"{"enc":"A256GCM","alg":"RSA-OAEP"}"#.utf8)

    /// Encrypts `key` to a transport key.
    ///
    /// - Throws: the error of the cryptography library if the transport key cannot encrypt.
    package static func seal(_ key: SessionKey, to transportKey: _RSA.Encryption.PublicKey) throws -> String {
        let encryptedKey = try unsafe key.secret.withUnsafeBytes { bytes in
            try unsafe transportKey.encrypt(Data(bytes), padding: .PKCS1_OAEP)
        }
        let segment = Array(Base64URL.encode(header).utf8)
        let filler = try AES.GCM.seal(Array("{}".utf8), using: key.symmetricKey, authenticating: segment)
        let parts = [Array(encryptedKey), Array(filler.nonce), Array(filler.ciphertext), Array(filler.tag)]
        return String(decoding: segment, as: UTF8.self) + "."
            + parts.map { Base64URL.encode($0) }.joined(separator: ".")
    }

    /// Decrypts the session key with the transport key's private half. The filler is not checked, because the filler of
    /// Microsoft's service does not pass the check.
    ///
    /// - Throws: ``JOSEFailure``; `wrongSignature` if the session key was encrypted to a different transport key.
    package static func open(
        _ text: String, with transportKey: _RSA.Encryption.PrivateKey
    ) throws(JOSEFailure) -> SessionKey {
        do {
            return try open(text) { encrypted in
                var bytes = Array(try transportKey.decrypt(encrypted, padding: .PKCS1_OAEP))
                return SecretBytes(consuming: &bytes)
            }
        } catch let failure as JOSEFailure { throw failure } catch { throw .wrongSignature }
    }

    /// Decrypts the session key with a transport key outside this process.
    ///
    /// - Parameter decrypt: decrypts RSA-OAEP with SHA-1; may block.
    /// - Throws: ``JOSEFailure``, or the error of `decrypt`.
    package static func open(_ text: String, by decrypt: ([UInt8]) throws -> SecretBytes) throws -> SessionKey {
        let parts = try EncryptedSegments(text, limit: 8 * 1024)
        guard parts.header[HeaderName.algorithm] == .string("RSA-OAEP"),
            parts.header[HeaderName.encryption] == .string(EncryptedSegments.gcm)
        else { throw JOSEFailure.unsupported }
        guard let key = SessionKey(try decrypt(Array(parts.encryptedKey))) else { throw JOSEFailure.wrongSignature }
        return key
    }
}
