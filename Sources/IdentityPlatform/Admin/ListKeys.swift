// SPDX-License-Identifier: Apache-2.0
internal import AdminServer
internal import Storage

// The places of the directory's objects in the lists for administrators.

extension Client {
    var listKey: String { NamedItemKey(name: displayName, id: id.rawValue).text }
}

extension Group {
    var listKey: String { NamedItemKey(name: displayName, id: id.rawValue).text }
}

extension Device {
    var listKey: String { NamedItemKey(name: displayName, id: id.rawValue).text }
}

extension Session {
    /// Sessions are ordered by their beginning.
    var listKey: String { NamedItemKey(name: String(begun.rawValue), id: id.rawValue).text }
}

extension User {
    var listKey: String { userPrincipalName.lowercased() }
}
