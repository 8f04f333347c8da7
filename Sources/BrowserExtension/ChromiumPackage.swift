// SPDX-License-Identifier: Apache-2.0
internal import Crypto

/// A signed extension for Chromium: a `.crx` file of version 3.
///
/// The format is defined in Chromium's source, `components/crx_file/crx3.proto`: a header with the public key and its
/// signature, then a zip archive. The id is the beginning of the key's hash.
struct ChromiumPackage {
    /// The extension's id: 32 letters from a to p.
    let id: String
    let bytes: [UInt8]

    /// Signs an archive with a key that only this call knows, so that nobody can sign another extension with the same id.
    ///
    /// - Throws: an error of the cryptographic library.
    init(_ archive: StoredArchive) throws {
        let content = archive.bytes
        let key = P256.Signing.PrivateKey()
        let publicKey = [UInt8](key.publicKey.derRepresentation)
        let hash = SHA256.hash(data: publicKey).prefix(16)
        let signed = Self.field(Field.id, Array(hash))
        let length = StoredArchive.bytes(UInt32(signed.count))
        let signature = try key.signature(for: Self.purpose + length + signed + content)
        let proof =
            Self.field(Field.publicKey, publicKey) + Self.field(Field.signature, Array(signature.derRepresentation))
        let header = Self.field(Field.proof, proof) + Self.field(Field.signedData, signed)
        id = hash.map { Self.letter($0 >> 4) + Self.letter($0 & 15) }.joined()
        bytes =
            Array("Cr24".utf8) + StoredArchive.bytes(3 as UInt32) + StoredArchive.bytes(UInt32(header.count)) + header
            + content
    }

    /// Returns the manifest in which Chromium looks for the extension's newest version.
    ///
    /// - Parameter address: the `file:` address of the `.crx` file.
    func updates(at address: String, version: String) -> [UInt8] {
        Array(
            """
            <?xml version="1.0" encoding="UTF-8"?>
            <gupdate xmlns="http://www.google.com/update2/response" protocol="2.0"><app appid="\(id)"><updatecheck \
            codebase="\(address)" version="\(version)"/></app></gupdate>

            """.utf8)
    }

    // MARK: - Encoding

    private static let purpose = Array("CRX3 SignedData".utf8) + [0]

    /// The numbers of the header's fields.
    private enum Field {
        /// A key and its signature with ECDSA and SHA-256, in the header.
        static let proof = 3
        static let signedData = 10_000
        /// In the proof:
        static let publicKey = 1
        static let signature = 2
        /// In the signed data:
        static let id = 1
    }

    private static func letter(_ number: UInt8) -> String {
        String(UnicodeScalar(UInt8(ascii: "a") + number))
    }

    /// Encodes a field of bytes: its number, its length and the bytes (Protocol Buffers, wire type 2).
    private static func field(_ number: Int, _ content: [UInt8]) -> [UInt8] {
        varint(number << 3 | 2) + varint(content.count) + content
    }

    private static func varint(_ value: Int) -> [UInt8] {
        value < 0x80 ? [UInt8(value)] : [UInt8(value & 0x7f) | 0x80] + varint(value >> 7)
    }
}
