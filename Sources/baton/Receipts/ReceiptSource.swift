// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Authenticator
import FoundationEssentials
import Processes
import Receipts

/// Where receipts are read: a device's own folder, or a file that came from one.
struct ReceiptSource: ParsableArguments {
    @Option(help: "A file that `baton receipt export` printed.")
    var file: String?

    @Option(help: "The device's state folder (default: BATON_STATE, else /var/lib/baton/device).")
    var state: String?

    private static let limit = 64 << 20

    private var folder: String {
        state ?? ProcessInfo.processInfo.environment["BATON_STATE"] ?? "/var/lib/baton/device"
    }

    /// The lines.
    ///
    /// - Throws: ``CommandFailure``.
    func bytes() async throws -> [UInt8] {
        if let file { return try Self.read(file) }
        let files = DeviceFiles(root: Directory(path: folder))
        return try await blocking {
            do { return try ReceiptBook(directory: files.receipts).export() } catch {
                throw CommandFailure(
                    code: "receipts_unreadable", message: "The receipts in \(folder) cannot be read (\(error)).",
                    remedy: "Run as the broker's user, or give a file of receipts with --file.")
            }
        }
    }

    func file() async throws -> ReceiptFile { ReceiptFile(bytes: try await bytes()) }

    /// This device's own receipt key; nil where there is none, or receipts come from a file.
    func ownKey() async throws -> ReceiptKey? {
        guard file == nil else { return nil }
        let files = DeviceFiles(root: Directory(path: folder))
        return try await blocking { try ReceiptKey(in: files.keyStore) }
    }

    /// - Throws: ``CommandFailure`` where there is no such file, or it is too long.
    static func read(_ path: String) throws -> [UInt8] {
        let bytes: [UInt8]?
        do { bytes = try AtomicFile(path: path).read(limit: limit) } catch {
            throw CommandFailure(
                code: "file_unreadable", message: "\(path) cannot be read (\(error)).", remedy: "Give another path.")
        }
        guard let bytes else {
            throw CommandFailure(
                code: "file_unreadable", message: "There is no file \(path).", remedy: "Give another path.")
        }
        return bytes
    }
}
