// SPDX-License-Identifier: Apache-2.0
internal import FoundationEssentials
internal import Glibc

/// A copy of a program of this package, in place of the installed file that an upgrade replaces.
package struct InstalledProgram: Sendable {
    /// The path of the copy.
    package let path: String
    private let source: String

    package init(_ name: String, in scratch: Scratch) throws {
        source = try RunningProgram.built(name)
        path = scratch.path("installed-" + name)
        try FileManager.default.copyItem(atPath: source, toPath: path)
    }

    /// Puts another file in the program's place, as dpkg does: by rename(2). A process that already runs the program
    /// keeps the former file.
    ///
    /// - Parameter script: the new file's content; nil for the program itself, as a later version would be.
    package func replace(with script: String? = nil) throws {
        let new = path + ".dpkg-new"
        if let script {
            try Data(script.utf8).write(to: URL(filePath: new))
            try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: new)
        } else {
            try FileManager.default.copyItem(atPath: source, toPath: new)
        }
        guard unsafe rename(new, path) == 0 else { throw TestProblem("rename: error \(errno)") }
    }

    /// Whether a process runs the file that is in place now.
    package func runs(in pid: Int32) throws -> Bool {
        try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(pid)/exe") == path
    }
}
