// SPDX-License-Identifier: Apache-2.0
internal import FoundationEssentials
internal import OAuth
package import Storage
internal import SwiftASN1
internal import X509

/// A public key with which an application signs assertions (RFC 7523). The private key never leaves the application.
package struct ClientKey: Sendable {
    /// The key's thumbprint (RFC 7638).
    package let id: String
    package let name: String
    /// The SubjectPublicKeyInfo in DER: RSA with 2048 to 4096 bits, or P-256.
    let publicKey: [UInt8]
    /// When the certificate expires with which the key was registered; nil if it was registered without a certificate.
    package let expires: Timestamp?
    package let created: Timestamp

    /// How many keys an application may have, so that each can be replaced before it is removed.
    static let maximum = 5

    /// Why a text is not a key that can be registered.
    enum Problem: Error {
        case unreadable
        /// The text is a private key, which has left the application and must not be used any more.
        case isPrivate
    }

    /// Whether the key may be used at this time.
    func isValid(at time: Timestamp) -> Bool { expires.map { time < $0 } ?? true }

    /// Returns the key as an object of the cryptography library.
    ///
    /// - Parameter algorithm: the algorithm of the signature to verify, which selects the padding of an RSA key.
    /// - Throws: ``StorageError`` if the stored key cannot be read.
    func verificationKey(for algorithm: SignatureAlgorithm?) throws -> VerificationKey {
        guard let key = try? VerificationKey(publicKeyInfo: publicKey) else {
            throw StorageError(.unexpectedValue, "a client's key does not parse")
        }
        guard algorithm == .ps256, case .rsa(let rsa) = key else { return key }
        return .rsaPSS(rsa)
    }
}

extension ClientKey {
    /// Reads a public key or a certificate in PEM.
    ///
    /// - Throws: ``Problem``
    init(pem: String, name: String, at time: Timestamp) throws(Problem) {
        guard let document = try? PEMDocument(pemString: pem) else { throw .unreadable }
        guard !document.discriminator.hasSuffix("PRIVATE KEY") else { throw .isPrivate }
        do {
            switch document.discriminator {
            case "CERTIFICATE":
                let certificate = try Certificate(derEncoded: document.derBytes)
                publicKey = try certificate.publicKey.serializeAsPEM().derBytes
                expires = Timestamp(seconds: Int64(certificate.notValidAfter.timeIntervalSince1970))
            case "PUBLIC KEY":
                publicKey = document.derBytes
                expires = nil
            default: throw Problem.unreadable
            }
            let key = try JSONWebKey(try VerificationKey(publicKeyInfo: publicKey))
            // Checks the size of an RSA key.
            _ = try key.verificationKey()
            id = key.thumbprint
        } catch { throw .unreadable }
        (self.name, created) = (name, time)
    }

    /// The kind of the key: `RSA` or `P-256`.
    var kind: String {
        if case .p256 = try? verificationKey(for: nil) { "P-256" } else { "RSA" }
    }
}

extension ClientKey: Record {
    package static let table = "clientKey"
    package enum Column: String, ColumnName { case tenant, client, id, name, publicKey, expires, created }

    package init(_ row: TableRow<ClientKey>) throws {
        (id, name, publicKey) = (try row[.id], try row[.name], try row[.publicKey])
        (expires, created) = (try row[.expires], try row[.created])
    }
}

/// Access to the applications' keys in one transaction.
package struct ClientKeys {
    private let connection: any Connection

    package init(_ connection: any Connection) { self.connection = connection }

    func add(_ key: ClientKey, to client: Client) throws {
        try connection.insert(
            into: ClientKey.self,
            [
                .tenant: client.tenant, .client: client.id, .id: key.id, .name: key.name, .publicKey: key.publicKey,
                .expires: key.expires, .created: key.created,
            ])
    }

    /// - Returns: whether there was such a key.
    func remove(_ id: String, of client: Client) throws -> Bool {
        try connection.execute(
            "DELETE FROM clientKey WHERE tenant = \(client.tenant) AND client = \(client.id) AND id = \(id)") == 1
    }

    /// Returns all keys of an application, the newest first.
    package func all(of client: Client) throws -> [ClientKey] {
        try connection.records(
            ClientKey.self, "WHERE tenant = \(client.tenant) AND client = \(client.id) ORDER BY created DESC, id")
    }

    /// Returns the keys with which an application may sign now.
    func valid(of client: Client, at time: Timestamp) throws -> [ClientKey] {
        try all(of: client).filter { $0.isValid(at: time) }
    }
}
