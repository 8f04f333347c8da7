// SPDX-License-Identifier: Apache-2.0
internal import Crypto
internal import OAuth

/// A TPM key that signs requests and receipts.
struct TPMSigner: HeldSigningKey {
    let verification: VerificationKey
    private let key: TPMKey
    private let store: KeyStore

    /// - Throws: ``JOSEFailure`` if the public part is malformed.
    init(_ key: TPMKey, in store: KeyStore) throws(JOSEFailure) {
        (self.key, self.store, verification) = (key, store, try key.verification())
    }

    /// - Throws: ``TrustedPlatformFailure``.
    func signature(for input: [UInt8]) throws -> [UInt8] {
        try store.requirePlatform().sign(Array(SHA256.hash(data: input)), with: key)
    }
}
