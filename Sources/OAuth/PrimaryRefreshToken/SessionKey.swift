// SPDX-License-Identifier: Apache-2.0
internal import Crypto
internal import FoundationEssentials
package import Redaction

/// How the key for one request is derived from the session key (MS-OAPXBC).
package enum KeyDerivationVersion: Int, Sendable {
    /// Derives the key from the context only. The key is therefore not bound to the payload.
    case one = 1
    /// Derives the key from the context and the payload.
    case two = 2
}

/// The secret that device and server share for a PRT. Data is signed and encrypted with keys derived from it. Only the
/// filler of ``SessionKeyEnvelope`` is encrypted with the key itself.
package struct SessionKey: Sendable {
    /// The length of every session key in bytes.
    package static let length = 32

    /// The key, for storing it sealed or in a memory file.
    package let secret: SecretBytes

    /// Takes over 32 bytes; returns nil for any other length.
    package init?(_ secret: SecretBytes) {
        guard secret.count == Self.length else { return nil }
        self.secret = secret
    }

    /// Makes a new random key.
    package static func random(using generator: inout some RandomNumberGenerator) -> SessionKey {
        var bytes = RandomBytes.make(length, using: &generator)
        return SessionKey(unchecked: SecretBytes(consuming: &bytes))
    }

    private init(unchecked secret: SecretBytes) { self.secret = secret }

    /// Returns the key for a request: version 1 derives it from the context, version 2 from the context and the raw
    /// payload bytes.
    ///
    /// NIST SP 800-108 counter mode with HMAC-SHA256, one block, label `AzureAD-SecureConversation`.
    func derived(context: [UInt8], payload: [UInt8], version: KeyDerivationVersion) -> SymmetricKey {
        switch version {
        case .one: derived(context: context)
        case .two: derived(context: Array(SHA256.hash(data: context + payload)))
        }
    }

    /// Returns the key of version 1, which also decrypts every encrypted reply.
    func derived(context: [UInt8]) -> SymmetricKey {
        let input = [0, 0, 0, 1] + Array("AzureAD-SecureConversation".utf8) + [0] + context + [0, 0, 1, 0]
        return SymmetricKey(data: HMAC<SHA256>.authenticationCode(for: input, using: symmetricKey))
    }

    var symmetricKey: SymmetricKey {
        unsafe secret.withUnsafeBytes { unsafe SymmetricKey(data: $0) }
    }
}
