// SPDX-License-Identifier: Apache-2.0
internal import JSON
internal import Storage

/// A group to which a person belongs, or a directory role that the person has.
enum Membership: Sendable {
    case group(Group)
    case role(DirectoryRole)

    var id: String {
        switch self {
        case .group(let group): group.id.rawValue
        case .role(let role): role.id.rawValue
        }
    }

    /// Returns the groups and directory roles of a person.
    static func all(of person: UserID, tenant: TenantID, _ connection: any Connection) throws -> [Membership] {
        let roles = try RoleMembers(connection).roles(of: person, tenant: tenant)
        return try Groups(connection).groups(of: person, tenant: tenant).map(Membership.group)
            + DirectoryRole.all.filter { roles.contains($0.id) }.map(Membership.role)
    }
}

extension GraphKind where Item == Membership {
    /// The items of `memberOf`, each with its `@odata.type`.
    static let memberships = GraphKind(
        collection: "directoryObjects",
        type: { item in
            switch item {
            case .group: "#microsoft.graph.group"
            case .role: "#microsoft.graph.directoryRole"
            }
        }, writesType: true,
        properties: [
            .standard("id", filter: GraphFilter.value) { .string($0.id) },
            .standard("description") { item in
                switch item {
                case .group(let group): JSONValue(group.description)
                case .role(let role): .string(role.displayName)
                }
            },
            .standard("displayName", filter: GraphFilter.value) { item in
                switch item {
                case .group(let group): .string(group.displayName)
                case .role(let role): .string(role.displayName)
                }
            },
        ],
        key: \.id, find: { _, _, _ in nil }, all: { _ in .fixed(key: \.id) { _ in [] } })
}
