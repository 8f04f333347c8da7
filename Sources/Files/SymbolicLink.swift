// SPDX-License-Identifier: Apache-2.0
internal import Glibc

/// Reads symbolic links (readlink(2)).
package enum SymbolicLink {
    /// Returns where the link at this path leads; nil if there is nothing at the path.
    ///
    /// - Throws: ``FileError``, with `EINVAL` if something other than a link is there.
    package static func target(of path: String) throws(FileError) -> [UInt8]? {
        var target = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = unsafe readlink(path, &target, target.count)
        guard count >= 0 else {
            if errno == ENOENT { return nil }
            throw FileError(.read, errno: errno, path: path)
        }
        return target[..<count].map { UInt8(bitPattern: $0) }
    }
}
