// SPDX-License-Identifier: Apache-2.0

/// The interface through which an administrator acted. Newer servers may know further ones.
package struct AuditInterface: RawRepresentable, Hashable, ColumnValue {
    package let rawValue: String

    package init(rawValue: String) { self.rawValue = rawValue }

    /// The administration socket of a node.
    package static let socket = AuditInterface(rawValue: "socket")
    /// The HTTPS listener of the administration.
    package static let https = AuditInterface(rawValue: "https")
    /// Microsoft Graph.
    package static let graph = AuditInterface(rawValue: "graph")
}
