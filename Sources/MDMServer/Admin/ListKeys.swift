// SPDX-License-Identifier: Apache-2.0
internal import AdminServer
internal import Storage

// The places of device management's objects in the lists for administrators.

extension DeviceRecord {
    var listKey: String { NamedItemKey(name: name, id: udid.rawValue).text }
}

extension Enrollment {
    /// Enrollments are ordered by their creation.
    var listKey: String { NamedItemKey(name: String(createdAt.rawValue), id: id.rawValue).text }
}

extension OfferedApp {
    /// The versions of an app are items of one name.
    var listKey: String { NamedItemKey(name: bundleIdentifier, id: version).text }
}
