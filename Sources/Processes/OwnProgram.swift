// SPDX-License-Identifier: Apache-2.0
package import Files
internal import Glibc

/// The file of the program that this process runs.
package enum OwnProgram {
    /// The folder from which this process has loaded a library; nil if it has not.
    ///
    /// - Parameter name: the name of the library's file.
    /// - Throws: ``FileError``
    package static func folder(ofLibrary name: String) throws(FileError) -> String? {
        let maps = try AtomicFile(path: "/proc/self/maps").read() ?? []
        return String(decoding: maps, as: UTF8.self).split(separator: "\n")
            .compactMap { line in line.firstIndex(of: "/").map { line[$0...] } }
            .first { $0.hasSuffix("/" + name) }.map { String($0.dropLast(name.utf8.count + 1)) }
    }

    /// Whether another file has taken the place of this process's program, as an upgrade does.
    ///
    /// False if the program was only removed: then there is nothing that could be started instead.
    package static var isReplaced: Bool {
        // The kernel adds this to the path of a file that has no name any more (proc(5)).
        let mark = " (deleted)"
        guard let target = (try? SymbolicLink.target(of: "/proc/self/exe")) ?? nil else { return false }
        let path = String(decoding: target, as: UTF8.self)
        guard path.hasSuffix(mark) else { return false }
        return unsafe access(String(path.dropLast(mark.count)), X_OK) == 0
    }
}
