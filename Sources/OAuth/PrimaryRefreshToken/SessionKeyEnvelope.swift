// SPDX-License-Identifier: Apache-2.0
internal import Crypto
package import CryptoExtras
internal import FoundationEssentials
internal import JSON
package import Redaction

/// `session_key_jwe`: the session key, encrypted to the device's transport key (compact JWE, RFC 7516).
///
/// RSA-OAEP with SHA-1 is what every client of this dialect demands; OAEP's security does not rest on the hash's
/// collision resistance. The JWE's body is filler for every known client: the *encrypted key* is the message.
package enum SessionKeyEnvelope {
    /// The one header that all known clients take.
    static let header = Array(#"{"enc":"A256GCM","alg":"RSA-OAEP"}"#.utf8)

    /// Encrypts `key` to a transport key.
    ///
    /// - Throws: the library's error, where the transport key cannot encrypt.
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

    /// Decrypts the session key with the transport key's private half. The filler is not looked at: the real service's
    /// does not verify.
    ///
    /// - Throws: ``JOSEFailure``; `wrongSignature` where it is not for this key.
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

    /// The same with a transport key that another holds.
    ///
    /// - Parameter decrypt: opens RSA-OAEP with SHA-1; may block.
    /// - Throws: ``JOSEFailure``, or what `decrypt` throws.
    package static func open(_ text: String, by decrypt: ([UInt8]) throws -> SecretBytes) throws -> SessionKey {
        let parts = try EncryptedSegments(text, limit: 8 * 1024)
        guard parts.header[HeaderName.algorithm] == .string("RSA-OAEP"),
            parts.header[HeaderName.encryption] == .string(EncryptedSegments.gcm)
        else { throw JOSEFailure.unsupported }
        guard let key = SessionKey(try decrypt(Array(parts.encryptedKey))) else { throw JOSEFailure.wrongSignature }
        return key
    }
}
