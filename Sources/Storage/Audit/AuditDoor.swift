// SPDX-License-Identifier: Apache-2.0

/// The interface through which an administrator acted. Newer servers may know further ones.
package struct AuditDoor: RawRepresentable, Hashable, ColumnValue {
    package let rawValue: String

    package init(rawValue: String) { self.rawValue = rawValue }

    /// The administration socket of a node.
    package static let socket = AuditDoor(rawValue: "socket")
    /// The HTTPS listener of the administration.
    package static let https = AuditDoor(rawValue: "https")
    /// Microsoft Graph.
    package static let graph = AuditDoor(rawValue: "graph")
}
