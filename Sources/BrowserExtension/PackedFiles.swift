// SPDX-License-Identifier: Apache-2.0
internal import Files

/// The files of a packed extension, with the contents that they must have. The contents are a few kilobytes, so they are
/// kept and compared themselves, not their hashes.
struct PackedFiles: Sendable, Equatable {
    private var contents: [String: [UInt8]] = [:]

    mutating func add(_ path: String, _ content: [UInt8]) { contents[path] = content }

    /// Returns the path of the first file that is missing or has another content; nil if all are the same.
    ///
    /// - Throws: ``FileError`` if a file cannot be read.
    func changed() throws(FileError) -> String? {
        for (path, content) in contents.sorted(by: { $0.key < $1.key }) {
            guard try AtomicFile(path: path).read() == content else { return path }
        }
        return nil
    }
}
