// SPDX-License-Identifier: Apache-2.0
internal import MDMProtocol

/// A folder that, according to the app's registration, holds only data that the app keeps for the worker. If the app
/// does not erase its data at a sign-out, the agent takes the folder away.
package struct DataFolder: Sendable, Hashable, Codable {
    package let path: String

    /// - Parameter path: the folder's path.
    /// - Returns: nil if ``DataFolderRule`` does not allow the path.
    package init?(_ path: String) {
        guard DataFolderRule.objection(to: path) == nil else { return nil }
        self.path = path
    }

    /// Returns the folders of an app.
    ///
    /// - Throws: ``RegistryFailure`` if a path cannot be a folder of data, or if there are too many paths.
    package static func list(_ paths: [String], of bundleID: String) throws(RegistryFailure) -> [DataFolder] {
        if let objection = DataFolderRule.objection(to: paths) {
            throw RegistryFailure(.dataFolder, bundleID, detail: objection)
        }
        return paths.compactMap(DataFolder.init)
    }

    /// Whether the two folders are the same, or one of them lies in the other.
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
