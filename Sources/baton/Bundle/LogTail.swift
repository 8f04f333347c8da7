// SPDX-License-Identifier: Apache-2.0
import CommandLineInterface
import FoundationEssentials
import Glibc
import Processes

/// The end of the broker's log.
enum LogTail {
    /// How many bytes of a file are read.
    private static let limit = 1 << 20

    /// Returns the end of `file`, or, if `file` is nil, the end of the journal of batond.service; empty if there is no
    /// journal.
    ///
    /// - Throws: ``CommandFailure`` if the file cannot be read.
    static func text(of file: String?) throws -> String {
        guard let file else { return try journal() }
        let number = unsafe open(file, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard number >= 0 else {
            throw CommandFailure(
                code: "file_unreadable", message: "The log \(file) cannot be read.", remedy: "Give its path with --log."
            )
        }
        defer { _ = close(number) }
        let size = max(0, Int(lseek(number, 0, SEEK_END)))
        var bytes = [UInt8](repeating: 0, count: min(size, limit))
        let count = unsafe bytes.withUnsafeMutableBytes {
            unsafe pread(number, $0.baseAddress, $0.count, size - $0.count)
        }
        return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
    }

    private static func journal() throws -> String {
        let program = "/usr/bin/journalctl"
        guard unsafe access(program, X_OK) == 0 else { return "" }
        let output = try MemoryFile()
        let status = try ChildProcess.spawnBound(
            executable: program,
            arguments: ["-u", "batond.service", "-n", String(BundleLog.maximum), "-o", "cat", "--no-pager", "-q"],
            environment: ["PATH": "/usr/bin:/bin"], descriptors: [(output.descriptor, as: STDOUT_FILENO)]
        ).waitForExit()
        return status.isSuccess ? String(decoding: try output.content(), as: UTF8.self) : ""
    }
}
