// SPDX-License-Identifier: Apache-2.0
internal import CLinux
internal import Glibc

/// Files that only their writer may change, each with its content, and folders that may contain only such files.
///
/// The contents are only some kilobytes, so the contents themselves are kept and compared, not their hashes.
package struct KnownFiles: Sendable, Equatable, Codable {
    private var contents: [String: [UInt8]] = [:]
    private var folders: Set<String> = []
    /// The paths that may be in the folders and are not compared.
    private var ignored: Set<String> = []

    package init() {}

    /// Writes a file, whose content is compared from now on.
    package mutating func write(
        _ content: [UInt8], to file: AtomicFile, mode: UInt32 = 0o600
    ) throws(FileError) {
        try file.replace(with: content, mode: mode)
        contents[file.path] = content
    }

    /// Declares that the folder contains the written files and nothing else, at any depth.
    ///
    /// - Parameter names: files in the folder that are not compared.
    package mutating func close(_ folder: Directory, except names: [String] = []) {
        folders.insert(folder.path)
        ignored.formUnion(names.map { folder.path + "/" + $0 })
    }

    /// Returns the path of a file that is missing or has different content, or of a folder that contains a file that
    /// was not written; nil if there is no such file or folder. Blocks.
    ///
    /// - Throws: ``FileError`` if a file or folder cannot be read.
    package func changed() throws(FileError) -> String? {
        for (path, content) in contents.sorted(by: { $0.key < $1.key }) {
            guard try Self.isFile(path), try AtomicFile(path: path).read() == content else { return path }
        }
        for (folder, names) in expected.sorted(by: { $0.key < $1.key }) {
            guard names.isSuperset(of: try Directory(path: folder).names()) else { return folder }
        }
        return nil
    }

    /// The names in each closed folder and in each folder below it.
    private var expected: [String: Set<String>] {
        var names = Dictionary(uniqueKeysWithValues: folders.map { ($0, Set<String>()) })
        for path in Array(contents.keys) + ignored {
            for root in folders where path.hasPrefix(root + "/") {
                var folder = root
                for name in path.dropFirst(root.utf8.count + 1).split(separator: "/").map(String.init) {
                    names[folder, default: []].insert(name)
                    folder += "/" + name
                }
            }
        }
        return names
    }

    /// Whether the path names a regular file: reading a pipe might never end.
    private static func isFile(_ path: String) throws(FileError) -> Bool {
        var status = clinux_status()
        let outcome = unsafe clinux_status(AT_FDCWD, path, &status)
        if outcome == -ENOENT { return false }
        guard outcome == 0 else { throw FileError(.open, errno: -outcome, path: path) }
        return status.mode & S_IFMT == S_IFREG
    }
}
