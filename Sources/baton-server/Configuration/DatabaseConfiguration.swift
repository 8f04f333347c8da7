// SPDX-License-Identifier: Apache-2.0
internal import StoragePostgreSQL

/// Where the server's databases are.
enum DatabaseConfiguration: Sendable {
    /// Files in the state directory, which only one server uses.
    case sqlite
    /// A database on a PostgreSQL server, which any number of nodes use.
    case postgreSQL(PostgreSQL)

    /// A database on a PostgreSQL server. Each engine has its tables in a schema of its own.
    struct PostgreSQL: Sendable {
        let server: PostgreSQLConfiguration.Server
        let name: String
        let user: String
        let passwordFile: String?
        let limits: PostgreSQLConfiguration.Limits

        /// Returns the configuration with which an engine reaches its schema.
        func schema(_ schema: String) -> PostgreSQLConfiguration {
            var configuration = PostgreSQLConfiguration(
                server: server, database: name, user: user, schema: schema, passwordFile: passwordFile)
            configuration.limits = limits
            return configuration
        }
    }
}
