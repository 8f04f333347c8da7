// SPDX-License-Identifier: Apache-2.0
import CommandLineInterface
internal import Files
import FoundationEssentials

/// A file with secret content. From the moment the file exists, only its owner may read it.
enum SecretFile {
    /// Writes `bytes` and replaces an existing file.
    ///
    /// - Throws: ``CommandFailure``.
    static func write(_ bytes: Data, to path: String) throws {
        do { try AtomicFile(path: path).replace(with: Array(bytes), mode: 0o600) } catch {
            throw CommandFailure(
                code: "file_not_written", message: "\(path) cannot be written (\(error)).", remedy: "Give another path."
            )
        }
    }
}
