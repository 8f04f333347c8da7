// SPDX-License-Identifier: Apache-2.0

/// A folder that holds nothing but data which an app keeps for the worker, as the app's registration declares it. If the
/// app does not erase its data at a sign-out, the agent takes the folder away.
package struct DataFolder: Sendable, Hashable, Codable {
    package let path: String

    /// The maximum number of folders of one app.
    package static let maximumCount = 8
    private static let maximumLength = 1024

    /// - Parameter path: an absolute path without empty, `.` and `..` components, at least two levels below the root, so
    ///   that it names neither the root nor a folder of the system such as `/home`.
    /// - Returns: nil if it is another path.
    package init?(_ path: String) {
        guard path.first == "/", path.utf8.count <= Self.maximumLength, !path.utf8.contains(0) else { return nil }
        let names = path.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
        guard names.count >= 2, names.allSatisfy({ !["", ".", ".."].contains($0) }) else { return nil }
        self.path = path
    }

    /// Returns the folders of an app.
    ///
    /// - Throws: ``RegistryFailure`` if a path is not that of a folder of data, or if there are too many.
    package static func list(_ paths: [String], of bundleID: String) throws(RegistryFailure) -> [DataFolder] {
        let folders = paths.compactMap(DataFolder.init)
        guard folders.count == paths.count, folders.count <= maximumCount else {
            throw RegistryFailure(.dataFolder, bundleID)
        }
        return folders
    }

    /// Whether one of the folders is the other, or lies in it.
    package func overlaps(_ other: DataFolder) -> Bool {
        path == other.path || path.hasPrefix(other.path + "/") || other.path.hasPrefix(path + "/")
    }

    package init(from decoder: any Decoder) throws {
        let text = try decoder.singleValueContainer().decode(String.self)
        guard let folder = DataFolder(text) else {
            throw DecodingError.dataCorrupted(
                .init(codingPath: decoder.codingPath, debugDescription: "not the path of a folder of data"))
        }
        self = folder
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(path)
    }
}
