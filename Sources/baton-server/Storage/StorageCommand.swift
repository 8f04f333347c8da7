// SPDX-License-Identifier: Apache-2.0
internal import ArgumentParser
internal import Glibc
internal import Storage
internal import StoragePostgreSQL

/// Copies, backs up and restores the server's databases. `baton admin storage` starts these commands.
struct StorageCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "storage", abstract: "Copy, back up and restore the databases; see docs/operations/backup.md.",
        subcommands: [Copy.self, Backup.self, Restore.self])

    /// The files that a server needs in addition to its databases. None of them is part of a copy or a backup.
    private static let others =
        "storage.key, ca/ and packages/ in the state folder, and the configuration file"

    struct Copy: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Copy the databases from SQLite files to PostgreSQL, while no server runs.")
        @Option(help: "The configuration file with the PostgreSQL database.") var to: String
        @OptionGroup var options: StorageOptions

        private struct Result: Encodable {
            let rows: Int
            let alreadyCopied: Bool
        }

        func run() async throws {
            try await options.reporting {
                let (source, target) = (try StorageLocation(file: options.config), try StorageLocation(file: to))
                guard case .sqlite = source.database, case .postgreSQL(let server) = target.database else {
                    throw StorageFailure(
                        "server.storage.direction", "A copy goes from SQLite files to PostgreSQL.",
                        remedy: "Give a configuration without `database` as --config and one with it as --to.",
                        exitCode: EX_USAGE)
                }
                let lock = try source.lock(mayCreate: false)
                defer { withExtendedLifetime(lock) {} }
                let result = try await copy(source, to: server)
                try options.print(
                    result,
                    lines: [
                        result.alreadyCopied
                            ? "The databases were copied before; \(result.rows) rows are equal."
                            : "\(result.rows) rows are copied and compared.",
                        "Start the servers with \(to). They also need \(StorageCommand.others).",
                        "Keep the SQLite files until then, but do not start a server on them again.",
                    ])
            }
        }

        private func copy(_ source: StorageLocation, to server: DatabaseConfiguration.PostgreSQL) async throws -> Result
        {
            var files: [SQLiteFile] = []
            for engine in StorageLocation.engines {
                files.append(try await SQLiteFile(path: source.file(of: engine), schema: engine))
            }
            let target = try await server.openTarget()
            let isEmpty = try await target.isEmpty()
            if isEmpty { try await target.write(files, isReplacing: false, options.progress) }
            var rows = 0
            do {
                for (file, engine) in zip(files, StorageLocation.engines) {
                    let written = try await PostgreSQLSource(server.schema(engine.name), schema: engine)
                    rows += try await file.compare(with: written, options.progress)
                }
            } catch let error as TransferError where !isEmpty {
                throw TransferError(.targetHoldsData, "the target holds other data (\(error.message))")
            }
            return Result(rows: rows, alreadyCopied: !isEmpty)
        }
    }

    struct Backup: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Write a backup of the databases to a new file; servers may run meanwhile.")
        @Option(help: "The new file for the backup.") var output: String
        @OptionGroup var options: StorageOptions

        private struct Result: Encodable {
            let file: String
            let backup: BackupManifest
        }

        func run() async throws {
            try await options.reporting {
                let location = try StorageLocation(file: options.config)
                try location.checkOwner()
                let manifest = try await BackupWriter(path: output).write(
                    try await location.sources(), program: ServerVersion.current, at: .now, options.progress)
                let rows = manifest.databases.reduce(0) { $0 + $1.rows }
                try options.print(
                    Result(file: output, backup: manifest),
                    lines: [
                        "\(output) has \(rows) rows. It contains personal data: keep it where only administrators read.",
                        "A restore also needs \(StorageCommand.others). They are not in the backup.",
                        "Keep storage.key apart from the backups: with it, a backup can be used to act as the server.",
                    ])
            }
        }
    }
}

extension StorageLocation {
    /// Locks the state directory, so that no server runs on it.
    ///
    /// - Throws: ``ServerError``, ``StorageFailure``
    func lock(mayCreate: Bool) throws -> StateDirectory {
        try checkOwner()
        guard unsafe mayCreate || access(directory, F_OK) == 0 else {
            throw TransferError(.sourceMissing, "there is no folder \(directory)")
        }
        return try StateDirectory(path: directory, isForRestore: mayCreate)
    }

    /// Checks that the state directory, if it exists, belongs to this user. Files that another user creates there would
    /// be inaccessible to the server.
    ///
    /// - Throws: ``StorageFailure``
    func checkOwner() throws {
        guard let owner = FileOwner.user(of: directory), owner != geteuid() else { return }
        throw StorageFailure(
            "server.storage.other-user", "\(directory) belongs to another user.",
            remedy: "Run the command as the server's user, such as: runuser -u baton-server -- baton admin storage …")
    }
}

extension DatabaseConfiguration.PostgreSQL {
    /// Connects to the schemas that a copy or a restore writes, and checks that no server uses them.
    ///
    /// - Throws: ``StorageFailure``, ``StorageError``
    func openTarget() async throws -> PostgreSQLTarget {
        let target = try await PostgreSQLTarget(self.target)
        var others = try await target.otherConnections()
        // When a program is killed, PostgreSQL closes its connections only a moment later.
        for _ in 0..<20 where others > 0 {
            try await Task.sleep(for: .milliseconds(250))
            others = try await target.otherConnections()
        }
        guard others == 0 else {
            throw StorageFailure(
                "server.storage.in-use", "\(others) other connections of Baton use the PostgreSQL database.",
                remedy: "Stop every baton-server and every other storage command that uses it.")
        }
        return target
    }
}
