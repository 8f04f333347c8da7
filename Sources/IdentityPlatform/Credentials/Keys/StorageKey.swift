// SPDX-License-Identifier: Apache-2.0
internal import Crypto
internal import FoundationEssentials
package import Redaction
private import Synchronization

/// The server's key for the sealed secrets in its databases: the tenants' signing keys, the authorities' private keys
/// and the session keys of primary refresh tokens. It is stored in a separate file, so that a copy of the databases
/// alone reveals no secret.
///
/// Each purpose has its own key, derived by HKDF (RFC 5869); the key in the file is not used directly. Values that an
/// older version of the server sealed or derived directly with the key in the file are still accepted.
package struct StorageKey: Sendable {
    /// Why a sealed value could not be decrypted, or a key was not accepted.
    package enum Failure: Error, Equatable {
        /// The key does not have 32 bytes.
        case notAKey
        /// The value was sealed under a different key or for a different purpose, or has been changed.
        case doesNotOpen
    }

    /// The length of a key in bytes.
    package static let length = 32
    private let root: SymmetricKey
    private let derivationKeys = DerivationKeys()

    /// Creates the storage key from 32 bytes.
    ///
    /// - Throws: ``Failure`` `notAKey`.
    package init(_ secret: SecretBytes) throws(Failure) {
        guard secret.count == Self.length else { throw .notAKey }
        root = unsafe secret.withUnsafeBytes { unsafe SymmetricKey(data: $0) }
    }

    /// Encrypts and authenticates bytes for one purpose. The purpose names the row, so a sealed value that is copied to
    /// another row cannot be decrypted there.
    ///
    /// - Throws: an error of the cryptography library.
    package func seal(_ bytes: [UInt8], purpose: String) throws -> [UInt8] {
        let key = key(of: .sealing, purpose)
        guard let sealed = try AES.GCM.seal(bytes, using: key, authenticating: Array(purpose.utf8)).combined else {
            throw Failure.doesNotOpen
        }
        return Array(sealed)
    }

    /// Decrypts bytes that were sealed for the same purpose.
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

    /// Returns 32 bytes derived from `label` and `input`. Nobody can compute these bytes without this key.
    func derived(_ label: String, _ input: [UInt8]) -> [UInt8] {
        let derivationKey = derivationKeys.key(of: label) { key(of: .derivation, label) }
        return Array(HMAC<SHA256>.authenticationCode(for: input, using: derivationKey))
    }

    /// Returns the bytes that ``derived(_:_:)`` returned before each purpose had its own key. The server needs them to
    /// recognise tokens that were issued at that time.
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

/// The keys of ``StorageKey/derived(_:_:)``, each made once. A label is part of the program's code, so there are few
/// keys.
private final class DerivationKeys: Sendable {
    private static let limit = 64
    private let keys = Mutex<[String: SymmetricKey]>([:])

    func key(of label: String, _ make: () -> SymmetricKey) -> SymmetricKey {
        if let known = keys.withLock({ $0[label] }) { return known }
        let key = make()
        keys.withLock { if $0.count < Self.limit { $0[label] = key } }
        return key
    }
}
