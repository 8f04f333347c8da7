// SPDX-License-Identifier: Apache-2.0
package import BrokerProtocol
internal import Glibc

/// Whether the device's files are the broker's alone.
package struct FileFindings: Sendable {
    private let state: Directory

    /// - Parameter state: the folder of the device's state.
    package init(state: Directory) { self.state = state }

    /// Looks at the folder, and at each file whose owner matters. Blocks on the disk.
    package var all: [CheckResult] {
        var owner = stat()
        guard unsafe lstat(state.path, &owner) == 0 else {
            return errno == ENOENT
                ? [CheckResult(.files, "state_missing", .bad, "There is no folder \(state.path).", remedy: Self.give)]
                : [
                    CheckResult(
                        .files, "state_closed", .note, "\(state.path) cannot be looked into.", remedy: Self.give)
                ]
        }
        let wrong = places.compactMap { fault(in: $0, owner: owner.st_uid) }
        return wrong.isEmpty
            ? [CheckResult(.files, "files_private", .good, "The device's state is the broker's user's alone.")] : wrong
    }

    private static let give = "Run as root or the broker's user, or name the folder with --state."

    /// The folder itself, its folders, and the files in those that hold keys or say who is there.
    private var places: [String] {
        let keyFolders = [state] + ["keys", "management", "management/identities"].map(state.appending)
        let files = keyFolders.flatMap { folder in
            ((try? folder.names()) ?? []).map { folder.path + "/" + $0 }
        }
        // Packages are programs that everybody may have; nobody gets to them past the folder above.
        .filter { !["apps", "incoming"].map { state.path + "/management/" + $0 }.contains($0) }
        return [state.path, state.path + "/session", state.path + "/trash"] + files
    }

    private func fault(in path: String, owner: UInt32) -> CheckResult? {
        var status = stat()
        // What is gone by now is no fault: sessions come and go.
        guard unsafe lstat(path, &status) == 0 else { return nil }
        let name = path == state.path ? path : String(path.dropFirst(state.path.count + 1))
        guard status.st_uid == owner else {
            return CheckResult(
                .files, "file_owner", .bad, "\(name) belongs to another user than the folder \(state.path).",
                remedy: "Run: chown --reference=\(state.path) on it; find out who made it.")
        }
        guard status.st_mode & 0o077 == 0 else {
            return CheckResult(
                .files, "file_mode", .bad, "Others than the broker's user can get at \(name).",
                remedy: "Run: chmod go= on it; find out who changed it.")
        }
        return nil
    }
}
