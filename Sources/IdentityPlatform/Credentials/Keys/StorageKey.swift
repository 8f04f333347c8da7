// SPDX-License-Identifier: Apache-2.0
internal import Crypto
internal import FoundationEssentials
package import Redaction

/// The server's key for what its databases keep sealed: the tenants' signing keys, the private keys of authorities and the
/// session keys of primary refresh tokens. It lives in a file of its own, so that a copy of the databases alone opens none
/// of them.
///
/// Each purpose has a key of its own, derived by HKDF (RFC 5869); the key of the file itself encrypts and signs nothing.
/// What a server sealed or derived before that with the key of the file still opens, and is still known.
package struct StorageKey: Sendable {
    /// Why something sealed did not open, or the key is none.
    package enum Failure: Error, Equatable {
        /// Not 32 bytes.
        case notAKey
        /// Sealed under another key, for another purpose, or changed since.
        case doesNotOpen
    }

    /// Bytes of a key.
    package static let length = 32
    private let root: SymmetricKey

    /// Takes a key of 32 bytes.
    ///
    /// - Throws: ``Failure`` `notAKey`.
    package init(_ secret: SecretBytes) throws(Failure) {
        guard secret.count == Self.length else { throw .notAKey }
        root = unsafe secret.withUnsafeBytes { unsafe SymmetricKey(data: $0) }
    }

    /// Seals bytes for one purpose, which names the row: a sealed value copied to another row does not open there.
    ///
    /// - Throws: the library's error.
    package func seal(_ bytes: [UInt8], purpose: String) throws -> [UInt8] {
        let key = key(of: .sealing, purpose)
        guard let sealed = try AES.GCM.seal(bytes, using: key, authenticating: Array(purpose.utf8)).combined else {
            throw Failure.doesNotOpen
        }
        return Array(sealed)
    }

    /// Opens what was sealed for that purpose.
    ///
    /// - Throws: ``Failure`` `doesNotOpen`.
    package func open(_ sealed: [UInt8], purpose: String) throws(Failure) -> [UInt8] {
        for key in [key(of: .sealing, purpose), root] {
            if let box = try? AES.GCM.SealedBox(combined: sealed),
                let bytes = try? AES.GCM.open(box, using: key, authenticating: Array(purpose.utf8))
            {
                return Array(bytes)
            }
        }
        throw .doesNotOpen
    }

    /// 32 bytes that only this key can make out of `label` and `input`.
    func derived(_ label: String, _ input: [UInt8]) -> [UInt8] {
        Array(HMAC<SHA256>.authenticationCode(for: input, using: key(of: .derivation, label)))
    }

    /// What ``derived(_:_:)`` gave before purposes had keys of their own: for tokens that were given out under it.
    func formerlyDerived(_ label: String, _ input: [UInt8]) -> [UInt8] {
        Array(HMAC<SHA256>.authenticationCode(for: Array(label.utf8) + [0] + input, using: root))
    }

    private enum Use: String {
        case sealing, derivation
    }

    private func key(of use: Use, _ purpose: String) -> SymmetricKey {
        HKDF<SHA256>.deriveKey(
            inputKeyMaterial: root, info: Array("baton \(use.rawValue)\0\(purpose)".utf8), outputByteCount: Self.length)
    }
}
