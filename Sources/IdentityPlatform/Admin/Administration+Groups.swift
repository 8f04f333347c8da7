// SPDX-License-Identifier: Apache-2.0
package import Storage

extension Administration {
    /// Makes a group with nobody in it.
    ///
    /// - Throws: ``AdminRefusal``, ``StorageError``
    package func addGroup(
        _ displayName: String, mailNickname: String, description: String?, tenant: TenantID
    ) async throws -> Group {
        let group = Group(
            tenant: tenant, id: platform.environment.identifier(), displayName: displayName, mailNickname: mailNickname,
            description: description, created: platform.environment.now())
        try check(group)
        try await write { connection, now in
            try Groups(connection).add(group)
            try record(.groupAdded, tenant, group.id.rawValue, now, connection)
        }
        return group
    }

    /// Gives a group another name or description.
    ///
    /// - Throws: ``AdminRefusal``, ``StorageError``
    package func update(_ group: Group) async throws {
        try check(group)
        try await write { connection, now in
            try Groups(connection).update(group)
            try record(.groupChanged, group.tenant, group.id.rawValue, now, connection)
        }
    }

    /// Removes a group; its members stay in the directory.
    ///
    /// - Throws: ``AdminRefusal``, ``StorageError``
    package func remove(_ group: Group) async throws {
        try await write { connection, now in
            guard try Groups(connection).remove(group.id, tenant: group.tenant) else { throw AdminRefusal.noGroup }
            try record(.groupRemoved, group.tenant, group.id.rawValue, now, connection)
        }
    }

    /// Takes a person into a group.
    ///
    /// - Throws: ``AdminRefusal`` `taken` where they are in it, ``StorageError``
    package func addMember(_ person: UserID, to group: Group) async throws {
        try await write { connection, now in
            guard try Users(connection).find(person, tenant: group.tenant) != nil else { throw AdminRefusal.noUser }
            guard try Groups(connection).addMember(person, to: group.id, tenant: group.tenant) else {
                throw AdminRefusal.taken
            }
            try record(.groupMemberAdded, group.tenant, "\(group.id) \(person)", now, connection)
        }
    }

    /// Takes a person out of a group.
    ///
    /// - Throws: ``AdminRefusal``, ``StorageError``
    package func removeMember(_ person: UserID, from group: Group) async throws {
        try await write { connection, now in
            guard try Groups(connection).removeMember(person, from: group.id, tenant: group.tenant) else {
                throw AdminRefusal.noUser
            }
            try record(.groupMemberRemoved, group.tenant, "\(group.id) \(person)", now, connection)
        }
    }

    private func check(_ group: Group) throws {
        try check(displayName: group.displayName)
        guard group.mailNickname.utf8.count <= 64, !group.mailNickname.isEmpty,
            group.mailNickname.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f && $0 != UInt8(ascii: "@") })
        else { throw AdminRefusal.badNickname }
        guard (group.description ?? "").utf8.count <= 1024 else { throw AdminRefusal.badDisplayName }
    }
}
