// SPDX-License-Identifier: Apache-2.0
package import BrokerIPC
package import Files
internal import Glibc

/// Checks that the device's files are accessible only to the broker's user.
package struct FileFindings: Sendable {
    private let state: Directory

    /// - Parameter state: the folder of the device's state.
    package init(state: Directory) { self.state = state }

    /// Checks the folder and each file whose owner matters. Blocks on the disk.
    package var all: [CheckResult] {
        var owner = stat()
        guard unsafe lstat(state.path, &owner) == 0 else {
            return errno == ENOENT
                ? [
                    CheckResult(
                        .files, .bad, code: "state_missing", message: "There is no folder \(state.path).",
                        remedy: Self.give)
                ]
                : [Self.closed(state.path)]
        }
        var wrong = [fault(in: state.path, owner: owner.st_uid)].compactMap(\.self)
        for folder in [state] + ["keys", "management", "management/identities"].map(state.appending) {
            do throws(FileError) {
                wrong += try places(in: folder).compactMap { fault(in: $0, owner: owner.st_uid) }
            } catch {
                wrong.append(Self.closed(folder.path))
            }
        }
        return wrong.isEmpty
            ? [
                CheckResult(
                    .files, .good, code: "files_private",
                    message: "Only the broker's user has access to the device's state.")
            ] : wrong
    }

    /// The finding for a path that could not be read. Such a path must not count as intact.
    static func closed(_ path: String) -> CheckResult {
        CheckResult(.files, .note, code: "state_closed", message: "\(path) cannot be read.", remedy: give)
    }

    private static let give = "Run as root or the broker's user, or name the folder with --state."

    /// Returns the paths to check in a folder: all except those of installed packages.
    private func places(in folder: Directory) throws(FileError) -> [String] {
        // The modes of package files let any user read them, but the folder above them keeps other users out.
        let packages = ["apps", "incoming"].map { state.path + "/management/" + $0 }
        return try folder.names().map { folder.path + "/" + $0 }.filter { !packages.contains($0) }
    }

    private func fault(in path: String, owner: UInt32) -> CheckResult? {
        var status = stat()
        // A path that has disappeared since it was listed is not a fault: the files of a session are removed when the
        // session ends.
        guard unsafe lstat(path, &status) == 0 else { return nil }
        let name = path == state.path ? path : String(path.dropFirst(state.path.count + 1))
        guard status.st_uid == owner else {
            return CheckResult(
                .files, .bad, code: "file_owner",
                message: "\(name) does not belong to the owner of the folder \(state.path).",
                remedy: "Run: chown --reference=\(state.path) on it; find out who made it.")
        }
        guard status.st_mode & 0o077 == 0 else {
            return CheckResult(
                .files, .bad, code: "file_mode", message: "Users other than the broker's have access to \(name).",
                remedy: "Run: chmod go= on it; find out who changed it.")
        }
        return nil
    }
}
