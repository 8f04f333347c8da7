// SPDX-License-Identifier: Apache-2.0
internal import AdminServer
internal import Crypto
package import OAuth
internal import Redaction
package import Storage

extension Client: Table {
    package static let table = "client"
    package static let unread: Set<Column> = [.created]

    package enum Column: String, ColumnName {
        case tenant, id, displayName, isBroker, isConfidential, tokenAlgorithm, accountEnabled, created
    }
}

private enum ClientRedirect: Table {
    static let table = "clientRedirect"
    enum Column: String, ColumnName { case tenant, client, uri }
}

private enum ClientLogoutRedirect: Table {
    static let table = "clientLogoutRedirect"
    enum Column: String, ColumnName { case tenant, client, uri }
}

private enum ClientResource: Table {
    static let table = "clientResource"
    enum Column: String, ColumnName { case tenant, client, resource }
}

private enum ClientPermission: Table {
    static let table = "clientPermission"
    enum Column: String, ColumnName { case tenant, client, permission }
}

extension SignatureAlgorithm: ColumnValue {}

/// Access to the application registrations in one transaction.
package struct Clients {
    let connection: any Connection
    private let view: DirectoryCache.View?

    /// - Parameter view: a view of the cache, taken before the transaction began.
    package init(_ connection: any Connection, _ view: DirectoryCache.View? = nil) {
        (self.connection, self.view) = (connection, view)
    }

    package func find(_ id: ClientID, tenant: TenantID) throws -> Client? {
        try view.map { try $0.client(id, tenant: tenant) { try read(id, tenant) } } ?? read(id, tenant)
    }

    private func read(_ id: ClientID, _ tenant: TenantID) throws -> Client? {
        try connection.row(of: Client.self, "WHERE tenant = \(tenant) AND id = \(id)").map(client)
    }

    /// Returns an application that may make requests.
    ///
    /// - Throws: ``OAuthError`` `unknownClient` or `disabledClient`, ``StorageError``
    package func usable(_ id: ClientID, tenant: TenantID) throws -> Client {
        guard let client = try find(id, tenant: tenant) else { throw OAuthError.unknownClient }
        guard client.isEnabled else { throw OAuthError.disabledClient }
        return client
    }

    package func all(tenant: TenantID) throws -> [Client] {
        try connection.rows(of: Client.self, "WHERE tenant = \(tenant) ORDER BY displayName, id").map(client)
    }

    /// Returns a page of the clients, in the order of their names, and one client more if there is another page.
    ///
    /// - Throws: ``OperationRefusal``, ``StorageError``
    func all(tenant: TenantID, on page: PageRequest) throws -> [Client] {
        let selection = try page.selection(orderedBy: Client.Column.displayName, .id)
        return try connection.rows(of: Client.self, "WHERE tenant = \(tenant) \(selection)").map(client)
    }

    func add(_ client: Client, at time: Timestamp) throws {
        try connection.announce(RegistrationChange())
        try connection.insert(
            into: Client.self,
            [
                .tenant: client.tenant, .id: client.id, .displayName: client.displayName,
                .isBroker: client.isBroker, .isConfidential: !client.isPublic, .tokenAlgorithm: client.tokenAlgorithm,
                .accountEnabled: client.isEnabled, .created: time,
            ])
        for uri in Set(client.redirectURIs) {
            try connection.insert(
                into: ClientRedirect.self, [.tenant: client.tenant, .client: client.id, .uri: uri])
        }
        for uri in Set(client.logoutURIs) {
            try connection.insert(
                into: ClientLogoutRedirect.self, [.tenant: client.tenant, .client: client.id, .uri: uri])
        }
        for resource in Set(client.resources) {
            try connection.insert(
                into: ClientResource.self, [.tenant: client.tenant, .client: client.id, .resource: resource])
        }
        for permission in Set(client.permissions) {
            try connection.insert(
                into: ClientPermission.self, [.tenant: client.tenant, .client: client.id, .permission: permission])
        }
    }

    /// Enables or disables an application.
    ///
    /// - Returns: whether this has changed anything.
    func setEnabled(_ isEnabled: Bool, _ id: ClientID, tenant: TenantID) throws -> Bool {
        try connection.announce(RegistrationChange())
        return try connection.execute(
            """
            UPDATE client SET accountEnabled = \(isEnabled)
            WHERE tenant = \(tenant) AND id = \(id) AND accountEnabled <> \(isEnabled)
            """) == 1
    }

    /// - Returns: whether there was such a client.
    func remove(_ id: ClientID, tenant: TenantID) throws -> Bool {
        try connection.announce(RegistrationChange())
        return try connection.execute("DELETE FROM client WHERE tenant = \(tenant) AND id = \(id)") == 1
    }

    /// Decodes a registration from its row, and reads its lists from the other tables. One statement reads all lists,
    /// because each statement is a round trip to the server of a shared database.
    private func client(_ row: TableRow<Client>) throws -> Client {
        let (tenant, id): (TenantID, ClientID) = (try row[.tenant], try row[.id])
        let own: SQL = "WHERE tenant = \(tenant) AND client = \(id)"
        let items = try connection.rows(
            """
            SELECT 'redirect' AS list, uri AS item FROM clientRedirect \(own)
            UNION ALL SELECT 'logout', uri FROM clientLogoutRedirect \(own)
            UNION ALL SELECT 'resource', resource FROM clientResource \(own)
            UNION ALL SELECT 'permission', permission FROM clientPermission \(own)
            ORDER BY item
            """)
        func list<Item: ColumnValue>(_ name: String) throws -> [Item] {
            try items.filter { try $0["list"] == name }.map { try $0["item"] }
        }
        let isConfidential: Bool = try row[.isConfidential]
        return Client(
            tenant: tenant, id: id, displayName: try row[.displayName],
            redirectURIs: try list("redirect"), logoutURIs: try list("logout"), resources: try list("resource"),
            permissions: try list("permission"),
            isBroker: try row[.isBroker], isPublic: !isConfidential, isEnabled: try row[.accountEnabled],
            tokenAlgorithm: try row[.tokenAlgorithm])
    }
}

/// A secret with which an application authenticates. The server generates it at random, so a fast hash is enough.
package struct ClientSecret: Sendable {
    package let id: String
    package let created: Timestamp
    package let expires: Timestamp

    /// The maximum number of secrets of a client that have not expired: the one in use, and its successor.
    static let maximum = 2
    /// How long a secret is valid.
    static let lifetime = Duration.seconds(2 * 365 * 86400)

    /// Generates a secret of 256 bits. Returns its text, which is shown once, and the hash for the database.
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

/// Access to the applications' secrets in one transaction. An application can have several valid secrets, so that a new
/// secret can be introduced before the old one is removed.
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

    /// - Returns: whether there was such a secret.
    func remove(_ id: String, of client: Client) throws -> Bool {
        try connection.execute(
            "DELETE FROM clientSecret WHERE tenant = \(client.tenant) AND client = \(client.id) AND id = \(id)") == 1
    }

    /// Returns all secrets of an application, the newest first.
    package func all(of client: Client) throws -> [ClientSecret] {
        try connection.records(
            ClientSecret.self,
            "WHERE tenant = \(client.tenant) AND client = \(client.id) ORDER BY created DESC, id")
    }

    /// Returns the hashes of the valid secrets.
    func hashes(of client: Client, at time: Timestamp) throws -> [[UInt8]] {
        try connection.values(
            .hash, of: ClientSecret.self,
            "WHERE tenant = \(client.tenant) AND client = \(client.id) AND expires > \(time)")
    }
}
