// SPDX-License-Identifier: Apache-2.0
internal import Storage

/// Prepares the server for the tables of one engine, before the first transaction.
struct SchemaSetup {
    let server: ServerConnection
    let schema: String
    let limit: Duration

    /// The oldest version of PostgreSQL that is tested, in the format of `server_version_num`.
    private static let oldestVersion: Int64 = 150_000

    /// Refuses a server on which the shared statements would have different results than on SQLite, or on which an
    /// acknowledged write could be lost.
    func checkServer() throws {
        let rows = try server.rows(
            """
            SELECT current_setting('server_version_num')::int AS version,
                current_setting('server_encoding') AS encoding,
                current_setting('synchronous_commit') AS commit,
                CASE WHEN datlocprovider = 'c' THEN datcollate ELSE 'icu' END AS collation
            FROM pg_catalog.pg_database WHERE datname = current_database()
            """, limit: limit)
        guard let row = rows.first, rows.count == 1 else { throw refusal("the database does not know itself") }
        let (version, encoding): (Int64, String) = (try row["version"], try row["encoding"])
        let (commit, collation): (String, String) = (try row["commit"], try row["collation"])
        guard version >= Self.oldestVersion else { throw refusal("PostgreSQL must be version 15 or later") }
        // Queries that return pages compare keys as text, so the database must order texts by their bytes.
        guard encoding == "UTF8", ["C", "POSIX"].contains(collation) else {
            throw refusal(
                """
                the database has the encoding \(encoding) and the collation \(collation); create it with TEMPLATE \
                template0 ENCODING 'UTF8' LC_COLLATE 'C' LC_CTYPE 'C'
                """)
        }
        guard commit != "off" else { throw refusal("synchronous_commit is off: acknowledged writes could be lost") }
    }

    /// Waits until no other node migrates this schema, and prevents other nodes from doing so until the connection
    /// ends.
    func lock() throws(Failure) {
        let lock = AdvisoryLock(name: schema)
        do throws(Failure) {
            _ = try server.rows("SELECT pg_advisory_lock(\(lock.key))", limit: limit)
        } catch {
            guard error.error.code == .busy else { throw error }
            throw Failure(.refused, as: .busy, "another node has been migrating the schema \(schema) for too long")
        }
    }

    func hasSchema() throws(Failure) -> Bool {
        try !server.rows("SELECT 1 AS found FROM pg_catalog.pg_namespace WHERE nspname = \(schema)", limit: limit)
            .isEmpty
    }

    func createSchema() throws(Failure) { try server.command("CREATE SCHEMA \(schema)", limit: limit) }

    private func refusal(_ message: String) -> Failure { Failure(.refused, as: .failed, message) }
}
