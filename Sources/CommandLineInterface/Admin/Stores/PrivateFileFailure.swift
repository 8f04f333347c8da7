// SPDX-License-Identifier: Apache-2.0
internal import Files
internal import Glibc

/// The failures of commands that need a file which only this user may read.
enum PrivateFileFailure {
    /// Returns the failure for a file that cannot be used.
    ///
    /// - Parameters:
    ///   - code: the beginning of the code.
    ///   - exposed: what to do if somebody else may have used the file, as a sentence.
    static func reading(
        _ error: FileError, code: String, _ path: String,
        ifExposed exposed: String = "If somebody may have copied it, replace what it contains."
    ) -> CommandFailure {
        switch error.errno {
        case EPERM:
            CommandFailure(
                code: "\(code)_unsafe",
                message: "\(path) is not used, because others may read it: it belongs to another user, its mode is not "
                    + "0600, or it has a second name.",
                remedy: "If nobody can have copied it, run chown and chmod 0600. \(exposed)")
        case EACCES where error.operation == .write:
            CommandFailure(
                code: "\(code)_unsafe",
                message: "\(path) is not used, because other users may replace files in its folder.",
                remedy: "Run chmod go-w on the folder, or name a file in a folder that only you or root can write to. "
                    + exposed)
        case ELOOP, EINVAL:
            CommandFailure(
                code: "\(code)_unsafe", message: "\(path) is not used, because it is a link, or not a regular file.",
                remedy: "Name the file itself. \(exposed)")
        default:
            CommandFailure(
                code: "\(code)_unreadable", message: "The file cannot be used (\(error)).",
                remedy: "Check its path, its size and the permissions of its folder, and that the disk has room.")
        }
    }
}
