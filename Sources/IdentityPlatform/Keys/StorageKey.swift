// SPDX-License-Identifier: Apache-2.0
internal import Crypto
internal import FoundationEssentials
package import Redaction

/// The server's key for what the database keeps sealed: the tenants' signing keys, the private keys of device authorities
/// and the session keys of primary refresh tokens. It lives in a file of its own, so that a copy of the database alone
/// opens none of them.
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
    private let key: SymmetricKey

    /// Takes a key of 32 bytes.
    ///
    /// - Throws: ``Failure`` `notAKey`.
    package init(_ secret: SecretBytes) throws(Failure) {
        guard secret.count == Self.length else { throw .notAKey }
        key = unsafe secret.withUnsafeBytes { unsafe SymmetricKey(data: $0) }
    }

    /// Seals bytes for one purpose, which names the row: a sealed value copied to another row does not open there.
    ///
    /// - Throws: the library's error.
    func seal(_ bytes: [UInt8], purpose: String) throws -> [UInt8] {
        guard let sealed = try AES.GCM.seal(bytes, using: key, authenticating: Array(purpose.utf8)).combined else {
            throw Failure.doesNotOpen
        }
        return Array(sealed)
    }

    /// Opens what was sealed for that purpose.
    ///
    /// - Throws: ``Failure`` `doesNotOpen`.
    func open(_ sealed: [UInt8], purpose: String) throws(Failure) -> [UInt8] {
        do {
            return Array(try AES.GCM.open(.init(combined: sealed), using: key, authenticating: Array(purpose.utf8)))
        } catch {
            throw .doesNotOpen
        }
    }

    /// 32 bytes that only this key can make out of `label` and `input`.
    func derived(_ label: String, _ input: [UInt8]) -> [UInt8] {
        Array(HMAC<SHA256>.authenticationCode(for: Array(label.utf8) + [0] + input, using: key))
    }
}
