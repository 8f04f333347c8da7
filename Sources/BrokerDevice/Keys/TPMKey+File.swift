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

    /// The public half as others know it.
    ///
    /// - Throws: ``JOSEFailure`` where it is none.
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
    /// The key of the device's chip in the file `name`; nil where there is none.
    ///
    /// - Throws: ``DeviceStateDamaged`` for a file that holds none of this kind, ``KeyFileExposed``, ``FileError``.
    func platformKey(_ name: String, _ kind: TPMKey.Kind) throws -> TPMKey? {
        guard let content = try KeyFile.read(name, in: directory) else { return nil }
        guard let key = try? JSONCodec.read(TPMKey.self, content.withBytes { Array(copying: $0) }),
            key.kind == kind, (try? key.verification()) != nil
        else { throw DeviceStateDamaged(file: name) }
        return key
    }

    /// Has the chip make a key, and writes down what it needs to use it.
    func makePlatformKey(_ name: String, _ kind: TPMKey.Kind) throws -> TPMKey {
        let key = try requirePlatform().makeKey(kind)
        try directory.file(name).replace(with: try JSONCodec.bytes(key), mode: 0o600)
        return key
    }

    /// Whether new keys are the chip's.
    ///
    /// - Throws: ``TrustedPlatformFailure`` where the device was set up with one, and is told of none: a file would be weaker.
    func makesPlatformKeys() throws -> Bool {
        if platform != nil { return true }
        if try usesPlatform() { _ = try requirePlatform() }
        return false
    }
}
