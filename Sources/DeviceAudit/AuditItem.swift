// SPDX-License-Identifier: Apache-2.0
package import Leftovers

/// Something that an audit found on a device.
package struct AuditItem: Sendable, Codable, Hashable {
    package enum Kind: String, Sendable, Codable, CaseIterable {
        case file, process, socket, listener, ipc, mount
        case browserProcess = "browser_process"
        case ownProcess = "own_process"

        /// The corresponding kind of object in the list of leftovers; nil for a file.
        package var object: Leftover.Kind? { Leftover.Kind(rawValue: rawValue) }
    }

    package let kind: Kind
    /// Identifies the item within its kind: the absolute path of a file or mount, otherwise a text by which an
    /// administrator recognises the item. The name is printable (`String(printableName:)`).
    package let name: String
    /// A text that differs if the item was changed, or replaced under the same name.
    package let version: String

    package init(_ kind: Kind, _ name: String, version: String) {
        (self.kind, self.name, self.version) = (kind, name, version)
    }
}

/// Something that an audit could not read.
package struct UnreadPlace: Sendable, Codable, Hashable {
    package let name: String
    /// Why the place could not be read, in a few words.
    package let cause: String

    package init(_ name: String, cause: String) { (self.name, self.cause) = (name, cause) }
}
