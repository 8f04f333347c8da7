// SPDX-License-Identifier: Apache-2.0
package import Files

/// The names of offline lease files in their folder. None of these functions opens a file.
package enum LeaseFile {
    private static let suffix = ".lease"

    /// Returns the name of a lease's file.
    package static func name(_ id: String) -> String { id + suffix }

    /// Whether a file of this name holds a lease.
    package static func isName(_ name: String) -> Bool { name.hasSuffix(suffix) }

    /// The ids of the leases in a folder.
    ///
    /// - Throws: ``FileError`` if the folder cannot be listed.
    package static func ids(in directory: Directory) throws(FileError) -> [String] {
        try directory.names().filter(isName).map { String($0.dropLast(suffix.count)) }
    }
}
