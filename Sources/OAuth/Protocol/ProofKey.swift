// SPDX-License-Identifier: Apache-2.0
internal import Crypto
internal import FoundationEssentials
internal import Redaction

/// Proof Key for Code Exchange (PKCE, RFC 7636), only with method S256; `plain` is refused everywhere.
package enum ProofKey {
    package static let method = "S256"

    /// Returns a new code verifier of 43 characters (32 random bytes).
    package static func verifier() -> String {
        var generator = SystemRandomNumberGenerator()
        return verifier(using: &generator)
    }

    /// Returns a new code verifier of 43 characters from the caller's random number generator.
    package static func verifier(using generator: inout some RandomNumberGenerator) -> String {
        Base64URL.encode(RandomBytes.make(32, using: &generator))
    }

    /// Returns the code challenge for a code verifier (RFC 7636 section 4.2).
    package static func challenge(for verifier: String) -> String {
        Base64URL.encode(SHA256.hash(data: Array(verifier.utf8)))
    }

    /// Whether `verifier` is well-formed (RFC 7636 section 4.1) and matches `challenge`; compares in constant time.
    package static func matches(verifier: String, challenge: String) -> Bool {
        guard (43...128).contains(verifier.utf8.count), verifier.utf8.allSatisfy(isUnreserved) else { return false }
        return equalInConstantTime(Array(self.challenge(for: verifier).utf8), Array(challenge.utf8))
    }

    private static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
            UInt8(ascii: "~"):
            true
        default: false
        }
    }
}
