// SPDX-License-Identifier: Apache-2.0
internal import Crypto
internal import FoundationEssentials
package import Redaction

/// How a key is derived from the session key for one request (MS-OAPXBC).
package enum KeyDerivationVersion: Int, Sendable {
    /// The context alone: the payload could be exchanged for another under the same context.
    case one = 1
    /// Context and payload together.
    case two = 2
}

/// The secret that device and server share beside a PRT. What it protects is signed and encrypted under keys derived from it;
/// the filler of ``SessionKeyEnvelope`` alone is sealed with the key itself.
package struct SessionKey: Sendable {
    /// The only length there is, in bytes.
    package static let length = 32

    /// The key, for keeping it sealed or in a memory file.
    package let secret: SecretBytes

    /// Takes over 32 bytes; nil for any other number.
    package init?(_ secret: SecretBytes) {
        guard secret.count == Self.length else { return nil }
        self.secret = secret
    }

    /// Makes a fresh key.
    package static func random(using generator: inout some RandomNumberGenerator) -> SessionKey {
        var bytes = RandomBytes.make(length, using: &generator)
        return SessionKey(unchecked: SecretBytes(consuming: &bytes))
    }

    private init(unchecked secret: SecretBytes) { self.secret = secret }

    /// The key of a request: version 1 out of the context, version 2 out of context and raw payload bytes.
    ///
    /// NIST SP 800-108 counter mode with HMAC-SHA256, one block, label `AzureAD-SecureConversation`.
    func derived(context: [UInt8], payload: [UInt8], version: KeyDerivationVersion) -> SymmetricKey {
        switch version {
        case .one: derived(context: context)
        case .two: derived(context: Array(SHA256.hash(data: context + payload)))
        }
    }

    /// The key of version 1, which also opens every encrypted reply.
    func derived(context: [UInt8]) -> SymmetricKey {
        let input = [0, 0, 0, 1] + Array("AzureAD-SecureConversation".utf8) + [0] + context + [0, 0, 1, 0]
        return SymmetricKey(data: HMAC<SHA256>.authenticationCode(for: input, using: symmetricKey))
    }

    var symmetricKey: SymmetricKey {
        unsafe secret.withUnsafeBytes { unsafe SymmetricKey(data: $0) }
    }
}
