// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import BrokerSupervisor
import CommandLineInterface
import DeviceKeyStore
import DeviceSettings
internal import Files
import FoundationEssentials
import Processes
import Receipts

/// The source of receipts: the folder of this device, or a file that was exported from a device.
struct ReceiptSource: ParsableArguments {
    @Option(help: "A file that `baton receipt export` printed.")
    var file: String?

    @OptionGroup var state: StateOptions

    private static let limit = 64 << 20

    /// Returns the lines; empty on a device that has not written a receipt.
    ///
    /// - Throws: ``CommandFailure``, for example if the folder is missing or is not a device's state folder.
    func bytes() async throws -> [UInt8] {
        if let file { return try Self.read(file) }
        let folder = state.folder
        let files = DeviceFiles(root: Directory(path: folder))
        return try await blocking {
            do {
                guard try files.exist() else {
                    throw CommandFailure(
                        code: "state_missing", message: "There is no device state in \(folder).",
                        remedy: "Name it with --state or BATON_STATE, or a file of receipts with --file.")
                }
                return try ReceiptStore(directory: files.receipts).export()
            } catch let failure as CommandFailure { throw failure } catch {
                throw CommandFailure(
                    code: "receipts_unreadable", message: "The receipts in \(folder) cannot be read (\(error)).",
                    remedy: "Run as the broker's user, or give a file of receipts with --file.")
            }
        }
    }

    func file() async throws -> ReceiptFile { ReceiptFile(bytes: try await bytes()) }

    /// Returns an error if an exported file is empty or if lines of `content` cannot be read, because receipts may then
    /// be missing. Returns nil if all lines can be read.
    func failure(in content: ReceiptFile) -> CommandFailure? {
        if let file, content.entries.isEmpty {
            return CommandFailure(
                code: "receipts_unreadable",
                message: "\(file) is empty: its device has no receipts, or the export failed.",
                remedy: "Make the file again on the device: baton receipt export.")
        }
        let unread = content.entries.compactMap { number, entry -> Int? in
            switch entry {
            case .unreadable, .unknownVersion: number
            case .statement, .receipt, .anchor: nil
            }
        }
        guard !unread.isEmpty else { return nil }
        let lines = unread.prefix(5).map(String.init).joined(separator: ", ") + (unread.count > 5 ? ", …" : "")
        return CommandFailure(
            code: "receipts_unreadable",
            message: "Lines that cannot be read: \(unread.count) of \(content.entries.count) (\(lines)).",
            remedy: "See what is wrong with them: baton receipt verify.")
    }

    /// Returns this device's own receipt key; nil if there is none, or if receipts come from a file.
    func ownKey() async throws -> ReceiptKey? {
        guard file == nil else { return nil }
        let files = DeviceFiles(root: Directory(path: state.folder))
        return try await blocking { try ReceiptKey(in: files.keyStore) }
    }

    /// Returns the content of a file.
    ///
    /// - Throws: ``CommandFailure`` if the file does not exist or is too long.
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
