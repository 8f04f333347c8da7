// SPDX-License-Identifier: Apache-2.0
internal import ArgumentParser
internal import FoundationEssentials
internal import Glibc
internal import IdentityPlatform
internal import Redaction
internal import Storage
internal import StoragePostgreSQL

extension StorageCommand {
    struct Restore: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Restore the databases from a backup, while no server runs.")
        @Option(help: "The file with the backup.") var input: String
        @Flag(help: "Discard the data that the databases hold. Former SQLite files are kept under another name.")
        var replace = false
        @OptionGroup var options: StorageOptions

        private struct Result: Encodable {
            let rows: Int
            let backup: BackupManifest
            /// The files that were replaced.
            let former: [String]
        }

        func run() async throws {
            try await options.reporting {
                let location = try StorageLocation(file: options.config)
                let directory = try location.lock(mayCreate: true)
                let backup = try await BackupFile(
                    path: input, schemas: StorageLocation.engines, options.progress)
                try checkKey(of: backup, in: directory)
                let former: [String]
                let rows: Int
                switch location.database {
                case .sqlite: (rows, former) = try await restore(backup, to: location, directory)
                case .postgreSQL(let server): (rows, former) = (try await restore(backup, to: server), [])
                }
                try await RestoreRecord.write(
                    backupFrom: Timestamp(rawValue: backup.manifest.createdAt), at: .now, to: location.identity())
                try options.print(
                    Result(rows: rows, backup: backup.manifest, former: former),
                    lines: lines(for: backup, rows: rows, former: former))
            }
        }

        private func lines(for backup: BackupFile, rows: Int, former: [String]) -> [String] {
            let time = Date(timeIntervalSince1970: Double(backup.manifest.createdAt) / 1000).formatted(.iso8601)
            return ["\(rows) rows of \(time) are restored and compared."]
                + (former.isEmpty ? [] : ["The former databases are now \(former.joined(separator: ", "))."]) + [
                    "Changes after that time are lost: sign-outs and disabled people or devices, too. Repeat them.",
                    "`baton admin device list` shows devices that are ahead of the restored databases.",
                ]
        }

        /// Checks that the folder's storage key decrypts the backup, because the backup is useless without its key.
        private func checkKey(of backup: BackupFile, in directory: StateDirectory) throws {
            let path = directory.path(of: Composition.keyFile)
            guard let bytes = try directory.read(Composition.keyFile) else {
                throw StorageFailure(
                    "server.storage.key-missing", "\(path) is missing, and the backup needs it.",
                    remedy: "Nothing was changed. Put the storage.key of the backup's server there, with mode 0600.")
            }
            do {
                let key = try StorageKey(SecretBytes(copying: bytes))
                guard try StorageCheck.accepts(key, rows: try backup.databases[0].rows(of: StorageCheck.table)) else {
                    throw StorageKey.Failure.doesNotOpen
                }
            } catch is StorageKey.Failure {
                throw StorageFailure(
                    "server.storage.other-key", "\(path) does not decrypt the backup.",
                    remedy: "Nothing was changed. Put the storage.key of the backup's server there.")
            }
        }

        private func restore(_ backup: BackupFile, to server: DatabaseConfiguration.PostgreSQL) async throws -> Int {
            let target = try await server.openTarget()
            try await target.write(backup.databases, isReplacing: replace, options.progress)
            var rows = 0
            for (content, engine) in zip(backup.databases, StorageLocation.engines) {
                let written = try await PostgreSQLSource(server.schema(engine.name), schema: engine)
                rows += try await content.compare(with: written, options.progress)
            }
            return rows
        }

        /// Writes new files, compares them, and only then gives them the names of the databases.
        private func restore(
            _ backup: BackupFile, to location: StorageLocation, _ directory: StateDirectory
        ) async throws -> (rows: Int, former: [String]) {
            let isInterrupted = try directory.read(StateDirectory.unfinishedRestore) != nil
            let files = StorageLocation.engines.map(location.file)
            if let present = files.first(where: { unsafe access($0, F_OK) == 0 }), !replace, !isInterrupted {
                throw TransferError(.targetHoldsData, "\(present) exists")
            }
            var rows = 0
            for (content, engine) in zip(backup.databases, StorageLocation.engines) {
                let draft = location.file(of: engine) + ".restored"
                try await SQLiteFile.write(content, to: draft, options.progress)
                rows += try await content.compare(
                    with: try await SQLiteFile(path: draft, schema: engine), options.progress)
            }
            // From here on, a server that starts after a crash would find databases from different points in time, or
            // none.
            try directory.replace(StateDirectory.unfinishedRestore, with: [])
            let suffix = ".replaced-\(Timestamp.now.seconds)"
            let former = files.filter { unsafe access($0, F_OK) == 0 }.map { $0 + suffix }
            for file in files {
                // SQLite finds the side files by the name of the main file.
                for end in ["", "-wal", "-shm"] { try directory.rename(file + end, to: file + suffix + end) }
                try directory.rename(file + ".restored", to: file)
            }
            try directory.sync()
            try directory.remove(StateDirectory.unfinishedRestore)
            return (rows, former)
        }
    }
}

extension StorageLocation {
    /// Opens the identity database as the server does.
    fileprivate func identity() async throws -> any Storage.Database {
        let engine = Self.engines[0]
        return switch database {
        case .sqlite: try await SQLiteDatabase(path: file(of: engine), migrations: engine.migrations)
        case .postgreSQL(let server):
            try await PostgreSQLDatabase(server.schema(engine.name), migrations: engine.migrations)
        }
    }
}
