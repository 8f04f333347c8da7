// SPDX-License-Identifier: Apache-2.0
internal import Files
import FoundationEssentials

/// A file with something secret in it, for its owner alone from the first byte on.
enum SecretFile {
    /// Writes `bytes`, replacing what was there.
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
