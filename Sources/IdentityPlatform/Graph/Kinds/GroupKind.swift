// SPDX-License-Identifier: Apache-2.0
internal import JSON
internal import Storage

extension GraphKind where Item == Group {
    /// `groups`: security groups of people.
    static let groups = GraphKind(
        collection: "groups", type: { _ in "#microsoft.graph.group" },
        properties: [
            .standard("id", filter: GraphFilter.lowercased("id")) { .string($0.id.rawValue) },
            .standard("createdDateTime") { .string($0.created.iso8601) },
            .standard("description") { JSONValue($0.description) },
            .standard("displayName", filter: GraphFilter.text("displayName")) { .string($0.displayName) },
            .standard("groupTypes") { _ in .array([]) },
            .standard("mail") { _ in .null },
            .standard("mailEnabled") { _ in .bool(false) },
            .standard("mailNickname", filter: GraphFilter.text("mailNickname")) { .string($0.mailNickname) },
            .standard("securityEnabled") { _ in .bool(true) },
        ],
        key: \.id.rawValue,
        find: { key, tenant, connection in
            guard case .id(let text) = key, let id = GroupID(rawValue: text) else { return nil }
            return try Groups(connection).find(id, tenant: tenant)
        },
        all: { tenant in
            .rows(of: Group.self, key: .id, where: "tenant = \(tenant)") { id, connection in
                try GroupID(rawValue: id).flatMap { try Groups(connection).find($0, tenant: tenant) }
            }
        })
}
