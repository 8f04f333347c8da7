// SPDX-License-Identifier: Apache-2.0

/// One of the erasers of an app. Each eraser erases a part of a worker's data and reports only on that part, so that no
/// process of an app can report for another part.
package struct AppEraser: Sendable, Hashable {
    package let bundleID: String
    /// A ``HandoverName``; empty for the eraser without a name.
    package let name: String

    /// The name that no app can register.
    private static let wholeName = "*"

    /// Stands for all data of an app that has no eraser.
    package static func whole(_ bundleID: String) -> AppEraser { AppEraser(known: bundleID, name: wholeName) }

    private init(known bundleID: String, name: String) { (self.bundleID, self.name) = (bundleID, name) }

    package init?(bundleID: String, name: String = "") {
        guard HandoverName.isValid(name), !bundleID.isEmpty, !bundleID.contains(":") else { return nil }
        self.bundleID = bundleID
        self.name = name
    }
}

extension AppEraser: RawRepresentable, Codable, CodingKeyRepresentable, Comparable {
    /// `<bundle id>:<name>`, or the bundle id alone, as written in files and messages. A bundle id contains no colon.
    package var rawValue: String { name.isEmpty ? bundleID : "\(bundleID):\(name)" }

    package init?(rawValue: String) {
        let parts = rawValue.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard let bundleID = parts.first else { return nil }
        let name = parts.count == 2 ? String(parts[1]) : ""
        if name == Self.wholeName, !bundleID.isEmpty {
            self.init(known: String(bundleID), name: name)
        } else {
            self.init(bundleID: String(bundleID), name: name)
        }
    }

    package static func < (first: AppEraser, second: AppEraser) -> Bool {
        (first.bundleID, first.name) < (second.bundleID, second.name)
    }
}
