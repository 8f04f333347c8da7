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
