// SPDX-License-Identifier: Apache-2.0
internal import FoundationEssentials
internal import Glibc
internal import Storage

/// Why a command of `baton-server storage` failed: a stable code, the cause, and the remedy.
struct StorageFailure: Error, Encodable {
    let code: String
    let message: String
    let remedy: String
    let exitCode: Int32

    private enum CodingKeys: String, CodingKey { case code, message, remedy }

    init(_ code: String, _ message: String, remedy: String, exitCode: Int32 = EXIT_FAILURE) {
        (self.code, self.message, self.remedy, self.exitCode) = (code, message, remedy, exitCode)
    }

    /// Describes any error of a command.
    init(_ error: any Error) {
        switch error {
        case let failure as StorageFailure: self = failure
        case let error as ServerError:
            self.init(
                error.code.rawValue, error.message, remedy: error.remedy,
                exitCode: error.isConfiguration ? EX_CONFIG : EXIT_FAILURE)
        case let error as TransferError:
            self.init(
                "server.storage.\(error.code.rawValue)",
                "\(error.message.prefix(1).uppercased())\(error.message.dropFirst()).",
                remedy: Self.remedy(for: error.code))
        case let error as StorageError:
            self.init(
                "server.storage.database", "The database failed (\(error.message)).",
                remedy: "Correct the cause and run the command again. Do not use its target until it has succeeded.")
        default:
            self.init(
                "server.storage.failed", "The command failed: \(error).",
                remedy: "Check the disk's room and the files' permissions, and run the command again.")
        }
    }

    private static func remedy(for code: TransferError.Code) -> String {
        switch code {
        case .targetHoldsData:
            "Nothing was changed. Give an empty target, or restore with --replace to discard what the target holds."
        case .foreignTables: "Nothing was changed. Give Baton a database of its own."
        case .newer: "Install the version of baton-server that wrote the data, or a newer one."
        case .schemaDiffers: "Start the baton-server of this release on the database once, stop it, and try again."
        case .sourceMissing: "Check the directory and the database in the configuration file."
        case .valueUnsupported: "Change this value with `baton admin`, and run the command again."
        case .rowsDiffer:
            "Do not use the target. Check that nothing else writes to it, empty it, and run the command again."
        case .notABackup: "Give a file that `baton admin storage backup` wrote."
        case .damaged: "Nothing was changed. Use another copy of the backup, or an older backup."
        case .file: "Nothing was changed. Check the disk's room and the permissions, and run the command again."
        case .fileExists: "Give another name. A backup never replaces a file."
        }
    }

    func print(asJSON: Bool) {
        var text = "baton-server: \(message) [\(code)]\n  \(remedy)\n"
        if asJSON {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            if let data = try? encoder.encode(["error": self]) { text = String(decoding: data, as: UTF8.self) + "\n" }
        }
        _ = unsafe write(STDERR_FILENO, text, text.utf8.count)
    }
}
