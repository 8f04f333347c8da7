// SPDX-License-Identifier: Apache-2.0
internal import Files
internal import OAuth
internal import Redaction

extension TPMKey {
    private enum CodingKeys: String, CodingKey {
        case kind, published, blob
    }

    package init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            kind: try values.decode(Kind.self, forKey: .kind),
            published: try Base64URL.decode(try values.decode(String.self, forKey: .published)),
            blob: try Base64URL.decode(try values.decode(String.self, forKey: .blob)))
    }

    package func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(kind, forKey: .kind)
        try values.encode(Base64URL.encode(published), forKey: .published)
        try values.encode(Base64URL.encode(blob), forKey: .blob)
    }

    private static let exponent: [UInt8] = [1, 0, 1]

    /// The public part as a verification key.
    ///
    /// - Throws: ``JOSEFailure`` if it is malformed.
    func verification() throws(JOSEFailure) -> VerificationKey {
        let numbers: JSONWebKey.Numbers =
            switch kind {
            case .rsaSigning, .rsaDecryption: .rsa(modulus: published, exponent: Self.exponent)
            case .p256Signing: .p256(x: Array(published.prefix(32)), y: Array(published.dropFirst(32)))
            }
        return try JSONWebKey(numbers: numbers).verificationKey()
    }
}

extension KeyStore {
    /// Reads the TPM key in the file `name`; nil if there is no such file.
    ///
    /// - Throws: ``DeviceStateDamaged`` if the file does not hold a key of this kind, ``KeyFileExposed``,
    ///   ``FileError``.
    func platformKey(_ name: String, _ kind: TPMKey.Kind) throws -> TPMKey? {
        guard let content = try KeyFile.read(name, in: directory) else { return nil }
        guard let key = try? JSONCodec.read(TPMKey.self, content.withBytes { Array(copying: $0) }),
            key.kind == kind, (try? key.verification()) != nil
        else { throw DeviceStateDamaged(file: name) }
        return key
    }

    /// Has the TPM make a key, and writes the key's file.
    func makePlatformKey(_ name: String, _ kind: TPMKey.Kind) throws -> TPMKey {
        let key = try requirePlatform().makeKey(kind)
        try directory.file(name).replace(with: try JSONCodec.bytes(key), mode: 0o600)
        return key
    }

    /// Whether new keys are made in the TPM.
    ///
    /// - Throws: ``TrustedPlatformFailure`` if the device was set up with a TPM but no TPM is configured, because a key
    ///   in a file would be weaker.
    func makesPlatformKeys() throws -> Bool {
        if platform != nil { return true }
        if try usesPlatform() { _ = try requirePlatform() }
        return false
    }
}
