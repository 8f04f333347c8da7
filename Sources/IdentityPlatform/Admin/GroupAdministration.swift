// SPDX-License-Identifier: Apache-2.0
internal import AdminAPI
package import Storage

/// Administrative acts on groups, their members and their devices.
package struct GroupAdministration: Sendable {
    let transactions: AdminTransactions

    /// Creates a group without members.
    ///
    /// - Parameter mailNickname: the part of its mail address before the `@`; nil to derive it from the name.
    /// - Throws: ``AdminRefusal``, ``StorageError``
    package func add(
        _ displayName: String, mailNickname: String?, description: String?, tenant: TenantID
    ) async throws -> Group {
        let id: GroupID = transactions.environment.identifier()
        let letters = displayName.filter { $0.isASCII && ($0.isLetter || $0.isNumber) }.prefix(64)
        let group = Group(
            tenant: tenant, id: id, displayName: displayName,
            // A name in another script has none of these letters.
            mailNickname: mailNickname ?? (letters.isEmpty ? id.rawValue : String(letters)),
            description: description, created: transactions.environment.now())
        try check(group, after: nil)
        try await transactions.write { act in
            try Groups(act.connection).add(group)
            try act.record(.groupAdded, of: tenant, subject: group.id.rawValue)
        }
        return group
    }

    /// Changes a group's name or description.
    ///
    /// - Parameter change: takes the present group, as read in the transaction of the change, and returns the new
    ///   group.
    /// - Throws: ``AdminRefusal``, ``StorageError``
    package func change(_ group: Group, _ change: @escaping @Sendable (Group) -> Group) async throws {
        try await transactions.write { act in
            guard let present = try Groups(act.connection).find(group.id, tenant: group.tenant) else {
                throw AdminRefusal.noGroup
            }
            let changed = change(present)
            guard changed != present else { return }
            try check(changed, after: present)
            try Groups(act.connection).update(changed)
            try act.record(.groupChanged, of: group.tenant, subject: group.id.rawValue)
        }
    }

    /// Removes a group. Its members and devices stay in the directory.
    ///
    /// - Throws: ``AdminRefusal``, ``StorageError``
    package func remove(_ group: Group) async throws {
        try await transactions.write { act in
            guard try Groups(act.connection).remove(group.id, tenant: group.tenant) else { throw AdminRefusal.noGroup }
            try act.record(.groupRemoved, of: group.tenant, subject: group.id.rawValue)
        }
    }

    /// Adds a person to a group.
    ///
    /// - Returns: whether the person was not in the group before.
    /// - Throws: ``AdminRefusal``, ``StorageError``
    @discardableResult
    package func addMember(_ person: UserID, to group: Group) async throws -> Bool {
        try await transactions.write { act in
            guard try Users(act.connection).find(person, tenant: group.tenant) != nil else { throw AdminRefusal.noUser }
            guard try Groups(act.connection).find(group.id, tenant: group.tenant) != nil else {
                throw AdminRefusal.noGroup
            }
            guard try Groups(act.connection).addMember(person, to: group.id, tenant: group.tenant) else { return false }
            try act.record(.groupMemberAdded, of: group.tenant, subject: "\(group.id) \(person)")
            return true
        }
    }

    /// Removes a person from a group.
    ///
    /// - Returns: whether the person was in the group.
    /// - Throws: ``AdminRefusal``, ``StorageError``
    @discardableResult
    package func removeMember(_ person: UserID, from group: Group) async throws -> Bool {
        try await transactions.write { act in
            let wasMember = try Groups(act.connection).removeMember(person, from: group.id, tenant: group.tenant)
            if wasMember {
                try act.record(.groupMemberRemoved, of: group.tenant, subject: "\(group.id) \(person)")
            }
            return wasMember
        }
    }

    /// Adds a device to a group. Does nothing if the device is already in the group.
    ///
    /// - Throws: ``AdminRefusal``, ``StorageError``
    package func add(_ device: DeviceID, to group: Group) async throws {
        try await transactions.write { act in
            guard try Devices(act.connection).find(device, tenant: group.tenant) != nil else {
                throw AdminRefusal.noDevice
            }
            guard try Groups(act.connection).find(group.id, tenant: group.tenant) != nil else {
                throw AdminRefusal.noGroup
            }
            guard try Groups(act.connection).add(device, to: group.id, tenant: group.tenant) else { return }
            try act.record(.groupDeviceAdded, of: group.tenant, subject: "\(group.id) \(device)")
        }
    }

    /// Removes a device from a group. Does nothing if the device is not in the group.
    ///
    /// - Throws: ``AdminRefusal``, ``StorageError``
    package func remove(_ device: DeviceID, from group: Group) async throws {
        try await transactions.write { act in
            guard try Groups(act.connection).remove(device, from: group.id, tenant: group.tenant) else { return }
            try act.record(.groupDeviceRemoved, of: group.tenant, subject: "\(group.id) \(device)")
        }
    }

    /// Checks what differs from the former group.
    private func check(_ group: Group, after former: Group?) throws {
        if group.displayName != former?.displayName { try NameRules.check(displayName: group.displayName) }
        guard group.mailNickname == former?.mailNickname || NameRules.isMailNickname(group.mailNickname) else {
            throw AdminRefusal.badNickname
        }
        if group.description != former?.description { try NameRules.check(.description, group.description) }
    }
}
