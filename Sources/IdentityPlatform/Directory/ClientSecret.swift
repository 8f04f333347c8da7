// SPDX-License-Identifier: Apache-2.0
internal import Crypto
internal import OAuth
internal import Redaction
package import Storage

/// A secret by which an application proves itself. The server draws it, so that a fast hash is enough.
package struct ClientSecret: Sendable {
    package let id: String
    package let created: Timestamp
    package let expires: Timestamp

    /// How long one is good; after that the application needs another.
    static let lifetime = Duration.seconds(2 * 365 * 86400)

    /// Draws a secret of 256 bits: its text, which is shown once, and what the database keeps.
    static func draw(_ environment: ClockAndRandomness) -> (text: Sensitive<String>, hash: [UInt8]) {
        let text = Base64URL.encode(environment.randomBytes(32))
        return (Sensitive(text), hash(of: text))
    }

    static func hash(of text: String) -> [UInt8] { Array(SHA256.hash(data: Array(text.utf8))) }
}

extension ClientSecret: Record {
    package static let table = "clientSecret"
    package static let unread: Set<Column> = [.hash]
    package enum Column: String, ColumnName { case tenant, client, id, hash, created, expires }

    package init(_ row: TableRow<ClientSecret>) throws {
        self.init(id: try row[.id], created: try row[.created], expires: try row[.expires])
    }
}

/// The secrets of the applications, in one transaction; two may be good at a time, so that one can take the other's place.
package struct ClientSecrets {
    private let connection: any Connection

    package init(_ connection: any Connection) { self.connection = connection }

    func add(_ secret: ClientSecret, hash: [UInt8], to client: Client) throws {
        try connection.insert(
            into: ClientSecret.self,
            [
                .tenant: client.tenant, .client: client.id, .id: secret.id, .hash: hash, .created: secret.created,
                .expires: secret.expires,
            ])
    }

    /// - Returns: whether there was one.
    func remove(_ id: String, of client: Client) throws -> Bool {
        try connection.execute(
            "DELETE FROM clientSecret WHERE tenant = \(client.tenant) AND client = \(client.id) AND id = \(id)") == 1
    }

    /// All of an application, the newest first.
    package func all(of client: Client) throws -> [ClientSecret] {
        try connection.records(
            ClientSecret.self,
            "WHERE tenant = \(client.tenant) AND client = \(client.id) ORDER BY created DESC, id")
    }

    /// The hashes of those that are good.
    func hashes(of client: Client, at time: Timestamp) throws -> [[UInt8]] {
        try connection.values(
            .hash, of: ClientSecret.self,
            "WHERE tenant = \(client.tenant) AND client = \(client.id) AND expires > \(time)")
    }
}
