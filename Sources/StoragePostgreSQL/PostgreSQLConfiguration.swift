// SPDX-License-Identifier: Apache-2.0

/// How to reach a PostgreSQL server, and how long to wait for it.
package struct PostgreSQLConfiguration: Sendable {
    /// The server's address. There is no unencrypted or unverified TCP connection.
    package enum Server: Sendable, Equatable {
        /// A Unix socket in this folder. The port is part of the socket's name.
        case socket(folder: String, port: Int = 5432)
        /// TCP with TLS. The server's certificate must be issued by an authority in the PEM file `rootCertificates` and
        /// must name `host`. Several hosts are separated by commas; the first one that accepts writes is used.
        case tls(host: String, port: Int = 5432, rootCertificates: String)
    }

    package var server: Server
    package var database: String
    package var user: String
    /// The schema with the engine's tables: lower-case letters, digits and `_`. Opening the database creates the
    /// schema.
    package var schema: String
    /// The file with the password, which is read for each new connection; nil if the server asks for none. A newline at
    /// the end is not part of the password.
    package var passwordFile: String?
    package var limits = Limits()

    package init(server: Server, database: String, user: String, schema: String, passwordFile: String? = nil) {
        (self.server, self.database, self.user, self.schema) = (server, database, user, schema)
        self.passwordFile = passwordFile
    }

    package struct Limits: Sendable {
        /// The number of connections, each with its own thread.
        package var connections = 8
        /// How long a transaction may wait for a free connection.
        package var pool = Duration.seconds(5)
        /// How long opening a connection may take, including the TLS handshake and authentication, but not the
        /// resolution of the host's name.
        package var connect = Duration.seconds(5)
        /// How long one statement may take, and how long a transaction may pause between two statements.
        package var statement = Duration.seconds(10)
        /// How long one statement may wait for locks of other transactions.
        package var lock = Duration.seconds(5)
        /// How long opening the database may wait for another node to finish its migrations, and how long one statement
        /// of a migration may take.
        package var migration = Duration.seconds(60)
        /// The maximum number of times that a transaction is repeated because it conflicts with others.
        package var retries = 50
        /// The time between two checks of the connection on which other nodes' announcements arrive.
        package var announcementCheck = Duration.seconds(15)

        package init() {}
    }
}
