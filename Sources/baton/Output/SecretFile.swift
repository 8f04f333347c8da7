// SPDX-License-Identifier: Apache-2.0
internal import Files
import FoundationEssentials

/// A file with secret content. Only its owner may read it from the moment it exists.
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
