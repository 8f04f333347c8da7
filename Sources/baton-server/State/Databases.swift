// SPDX-License-Identifier: Apache-2.0
internal import IdentityPlatform
internal import MDMServer
internal import Storage
internal import StoragePostgreSQL

/// The databases of the two engines.
struct Databases: Sendable {
    let identity: any Database
    let management: any Database

    /// Opens the databases and applies the missing migrations.
    ///
    /// - Parameter clock: stops the use of a shared database while the machine's clock is wrong.
    /// - Throws: ``StorageError``, `CancellationError`
    init(_ configuration: DatabaseConfiguration, in directory: StateDirectory, clock: ClockGuard) async throws {
        switch configuration {
        case .sqlite:
            identity = try await SQLiteDatabase(
                path: directory.path(of: "identity.sqlite"), migrations: IdentitySchema.migrations)
            management = try await SQLiteDatabase(
                path: directory.path(of: "mdm.sqlite"), migrations: MDMSchema.migrations)
        case .postgreSQL(let server):
            identity = ClockGuardedDatabase(
                try await PostgreSQLDatabase(server.schema("identity"), migrations: IdentitySchema.migrations),
                clock: clock)
            management = ClockGuardedDatabase(
                try await PostgreSQLDatabase(server.schema("mdm"), migrations: MDMSchema.migrations), clock: clock)
        }
    }

    /// Whether other nodes use the databases.
    var isShared: Bool { identity.isShared }
}

extension ServerError {
    /// Creates the error for a database with which the server cannot start or continue.
    init(database configuration: DatabaseConfiguration, _ error: StorageError) {
        switch error.code {
        case .newer:
            self.init(
                .databaseNewer, "This baton-server is too old for its database: \(error.message).",
                remedy: "Install the newer version; docs/operations/upgrade.md says which versions may run together.")
        case .migrationChanged:
            self.init(
                .databaseUnknown, "The database was made by another program than this one: \(error.message).",
                remedy: "Start the program that made the database, or restore the database from a backup.")
        default:
            self.init(.databaseUnusable, "The database cannot be used: \(error.message).", remedy: configuration.remedy)
        }
    }
}

extension DatabaseConfiguration {
    fileprivate var remedy: String {
        switch self {
        case .sqlite: "Check the permissions of the directory and the free space of its disk; the log above says more."
        case .postgreSQL:
            "Check that PostgreSQL runs, and compare the key database with the section PostgreSQL of "
                + "docs/reference/configuration.md."
        }
    }
}
