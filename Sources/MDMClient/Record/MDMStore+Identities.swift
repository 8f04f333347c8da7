// SPDX-License-Identifier: Apache-2.0
internal import Crypto
internal import DeviceHTTPS
internal import DeviceKeyStore
internal import Encodings
internal import Files
internal import MDMProtocol
internal import Redaction
internal import SwiftASN1

extension MDMStore {
    /// Writes an identity to disk, durably. This must happen before a record names it.
    ///
    /// - Returns: its name.
    func keep(_ identity: HTTPSClient.Identity) throws -> String {
        guard let leaf = identity.certificates.first else { throw PKCS12Error.mismatch }
        let name = Hexadecimal.text(SHA256.hash(data: leaf)) + ".pem"
        var documents = identity.certificates.map { PEMDocument(type: Self.certificateType, derBytes: $0) }
        unsafe identity.privateKey.withUnsafeBytes { key in
            unsafe documents.append(PEMDocument(type: Self.keyType, derBytes: Array(key)))
        }
        var content = Array(documents.map { $0.pemString + "\n" }.joined().utf8)
        defer { wipe(&content) }
        try root.make()
        try identities.make()
        try identities.file(name).replace(with: content)
        return name
    }

    /// Reads an identity.
    ///
    /// - Throws: ``DeviceStateDamaged`` if it is missing or unreadable.
    func identity(_ name: String) throws -> HTTPSClient.Identity {
        let damage = DeviceStateDamaged(file: "management/identities/\(name)")
        guard var content = try identities.file(name).read(limit: 1 << 20) else { throw damage }
        defer { wipe(&content) }
        let documents: [PEMDocument]
        do { documents = try PEMDocument.parseMultiple(pemString: String(decoding: content, as: UTF8.self)) } catch {
            throw damage
        }
        guard let key = documents.first(where: { $0.discriminator == Self.keyType }) else { throw damage }
        return HTTPSClient.Identity(
            certificates: documents.filter { $0.discriminator == Self.certificateType }.map(\.derBytes),
            privateKey: SecretBytes(copying: key.derBytes))
    }

    private static let certificateType = "CERTIFICATE"
    private static let keyType = "PRIVATE KEY"
}
