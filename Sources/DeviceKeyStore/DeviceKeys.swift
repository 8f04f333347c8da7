// SPDX-License-Identifier: Apache-2.0
internal import Crypto
internal import CryptoExtras
internal import Files
internal import FoundationEssentials
package import OAuth
internal import Processes
package import Redaction

/// The device's two directory keys: one signs for the device, the other decrypts the session keys that are sent to the
/// device.
///
/// Either both are files, or both are in the device's TPM. A TPM is slow, so sign and decrypt only through
/// ``using(_:)`` or ``usingHere(_:)``.
package struct DeviceKeys: Sendable {
    private let held: Held
    private let queue: BlockingQueue?

    /// The keys for code that may block.
    package struct Held: Sendable {
        package let identity: SigningKey
        fileprivate let transport: Transport
    }

    fileprivate enum Transport: Sendable {
        case file(SecretBytes)
        case platform(TPMKey, KeyStore)
    }

    private enum Name {
        static let identity = "device.pem"
        static let transport = "transport.pem"
        static let platformIdentity = "device.tpm"
        static let platformTransport = "transport.tpm"
    }
    /// Every file name of these keys.
    package static let files = [Name.identity, Name.transport, Name.platformIdentity, Name.platformTransport]

    /// Reads the keys.
    ///
    /// - Throws: ``DeviceStateDamaged`` if a key is missing or unreadable, ``KeyFileExposed``.
    package init(in store: KeyStore) throws {
        if let key = try store.platformKey(Name.platformIdentity, .rsaSigning) {
            guard let transport = try store.platformKey(Name.platformTransport, .rsaDecryption) else {
                throw DeviceStateDamaged(file: Name.platformTransport)
            }
            held = Held(identity: .held(try TPMSigner(key, in: store)), transport: .platform(transport, store))
            queue = BlockingQueue(label: "baton.keys")
            return
        }
        let identityPEM = try Self.read(store, Name.identity)
        let transportPEM = try Self.read(store, Name.transport)
        do {
            held = Held(
                identity: .rsa(try _RSA.Signing.PrivateKey(pemRepresentation: KeyFile.text(identityPEM))),
                transport: .file(transportPEM))
        } catch { throw DeviceStateDamaged(file: Name.identity) }
        queue = nil
        _ = try Self.transport(transportPEM)
    }

    /// Runs `body`, which signs or decrypts with these keys, on a thread that may block.
    package func using<T: Sendable>(_ body: @escaping @Sendable (Held) throws -> T) async throws -> T {
        guard let queue else { return try body(held) }
        return try await queue.run { [held] in try body(held) }
    }

    /// Runs `body` on the current thread. Call it only from a thread that may block.
    package func usingHere<T>(_ body: (Held) throws -> T) rethrows -> T { try body(held) }

    /// The public part of the identity key.
    package var identityPublicKey: VerificationKey { held.identity.verification }

    /// The public part of the transport key.
    package func transportPublicKey() throws -> VerificationKey {
        switch held.transport {
        case .platform(let key, _): try key.verification()
        case .file(let pem): .rsa(try _RSA.Signing.PrivateKey(pemRepresentation: KeyFile.text(pem)).publicKey)
        }
    }

    /// Returns the keys that a failed join left behind, or new keys.
    ///
    /// - Throws: ``TrustedPlatformFailure``, ``KeyFileExposed``, ``FileError``.
    package static func leftOrMade(in store: KeyStore) throws -> DeviceKeys {
        do { return try DeviceKeys(in: store) } catch is DeviceStateDamaged { return try make(in: store) }
    }

    /// Makes new keys, in the device's TPM if it has one, and writes their files, which only the broker's user can
    /// read.
    ///
    /// - Throws: ``TrustedPlatformFailure``, ``FileError``.
    package static func make(in store: KeyStore) throws -> DeviceKeys {
        try store.directory.make(mode: 0o700)
        if try store.makesPlatformKeys() {
            // The identity key is written last: its presence means that both keys exist.
            _ = try store.makePlatformKey(Name.platformTransport, .rsaDecryption)
            _ = try store.makePlatformKey(Name.platformIdentity, .rsaSigning)
            for name in [Name.identity, Name.transport] { try store.directory.file(name).remove() }
        } else {
            for name in [Name.identity, Name.transport] {
                let key = try _RSA.Signing.PrivateKey(keySize: .bits2048)
                try store.directory.file(name).replace(with: Array(key.pemRepresentation.utf8), mode: 0o600)
            }
        }
        return try DeviceKeys(in: store)
    }

    fileprivate static func transport(_ pem: SecretBytes) throws -> _RSA.Encryption.PrivateKey {
        do { return try _RSA.Encryption.PrivateKey(pemRepresentation: KeyFile.text(pem)) } catch {
            throw DeviceStateDamaged(file: Name.transport)
        }
    }

    private static func read(_ store: KeyStore, _ name: String) throws -> SecretBytes {
        guard let secret = try KeyFile.read(name, in: store.directory) else { throw DeviceStateDamaged(file: name) }
        return secret
    }
}

extension DeviceKeys.Held {
    /// Decrypts data that was encrypted to the transport key (RSA-OAEP with SHA-1).
    ///
    /// - Throws: ``JOSEFailure`` if the data was not encrypted to this key; ``TrustedPlatformFailure``.
    package func decrypt(_ encrypted: [UInt8]) throws -> SecretBytes {
        switch transport {
        case .platform(let key, let store):
            let platform = try store.requirePlatform()
            do throws(TrustedPlatformFailure) { return try platform.decrypt(encrypted, with: key) } catch {
                if case .refused = error { throw JOSEFailure.wrongSignature }
                throw error
            }
        case .file(let pem):
            // The key is created for each use, because the library's type must stay on one thread.
            let key = try DeviceKeys.transport(pem)
            var bytes: [UInt8]
            do { bytes = Array(try key.decrypt(encrypted, padding: .PKCS1_OAEP)) } catch {
                throw JOSEFailure.wrongSignature
            }
            return SecretBytes(consuming: &bytes)
        }
    }
}
