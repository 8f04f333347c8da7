// SPDX-License-Identifier: Apache-2.0
internal import AdminAPI
package import Storage

/// Administrative acts on groups and their members.
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
    /// - Parameter change: returns the new group for the present one, which it gets in the transaction of the change.
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

    /// Removes a group. Its members stay in the directory.
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
    /// - Throws: ``AdminRefusal`` `taken` if the person is already a member, ``StorageError``
    package func addMember(_ person: UserID, to group: Group) async throws {
        try await transactions.write { act in
            guard try Users(act.connection).find(person, tenant: group.tenant) != nil else { throw AdminRefusal.noUser }
            guard try Groups(act.connection).addMember(person, to: group.id, tenant: group.tenant) else {
                throw AdminRefusal.taken
            }
            try act.record(.groupMemberAdded, of: group.tenant, subject: "\(group.id) \(person)")
        }
    }

    /// Removes a person from a group.
    ///
    /// - Throws: ``AdminRefusal``, ``StorageError``
    package func removeMember(_ person: UserID, from group: Group) async throws {
        try await transactions.write { act in
            guard try Groups(act.connection).removeMember(person, from: group.id, tenant: group.tenant) else {
                throw AdminRefusal.noUser
            }
            try act.record(.groupMemberRemoved, of: group.tenant, subject: "\(group.id) \(person)")
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
