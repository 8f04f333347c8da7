// SPDX-License-Identifier: Apache-2.0
internal import IdentityPlatform
internal import MDMServer
internal import Storage
internal import StoragePostgreSQL

/// Where a configuration file keeps the server's two databases.
struct StorageLocation: Sendable {
    let directory: String
    let database: DatabaseConfiguration

    /// Reads a configuration file.
    ///
    /// - Throws: ``ServerError``
    init(file: String) throws {
        let configuration = try ServerConfiguration(file: file)
        (directory, database) = (configuration.directory, configuration.database)
    }

    /// The engines, in the order in which every command handles them.
    static let engines = [
        EngineSchema(name: "identity", migrations: IdentitySchema.migrations),
        EngineSchema(name: "mdm", migrations: MDMSchema.migrations),
    ]

    /// Returns the path of an engine's database in the state directory.
    func file(of engine: EngineSchema) -> String { "\(directory)/\(engine.name).sqlite" }

    /// Returns the databases' content.
    ///
    /// - Throws: ``TransferError``, ``StorageError``
    func sources() async throws -> [any SnapshotSource] {
        var sources: [any SnapshotSource] = []
        for engine in Self.engines {
            switch database {
            case .sqlite: sources.append(try await SQLiteFile(path: file(of: engine), schema: engine))
            case .postgreSQL(let server):
                sources.append(try await PostgreSQLSource(server.schema(engine.name), schema: engine))
            }
        }
        return sources
    }
}

extension DatabaseConfiguration.PostgreSQL {
    /// The schemas of all engines, as the target of a copy or a restore.
    var target: [PostgreSQLTarget.Schema] {
        StorageLocation.engines.map { .init(engine: $0, configuration: schema($0.name)) }
    }
}
