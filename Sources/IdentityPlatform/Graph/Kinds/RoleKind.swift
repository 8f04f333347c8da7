// SPDX-License-Identifier: Apache-2.0
internal import JSON
internal import Storage

extension GraphKind where Item == DirectoryRole {
    /// `directoryRoles`: the roles. They are found by id or by `roleTemplateId=…`. Every role is active, and its id is
    /// its template's id.
    static let roles = directoryRoles(
        "directoryRoles", type: "#microsoft.graph.directoryRole",
        [.standard("roleTemplateId", filter: GraphFilter.value, id)])

    /// `directoryRoleTemplates`: the same roles as templates.
    static let roleTemplates = directoryRoles(
        "directoryRoleTemplates", type: "#microsoft.graph.directoryRoleTemplate", [])

    private static func directoryRoles(
        _ collection: String, type: String, _ more: [GraphProperty<DirectoryRole>]
    ) -> GraphKind {
        GraphKind(
            collection: collection, type: { _ in type },
            properties: [
                .standard("id", filter: GraphFilter.value, id),
                .standard("description") { .string($0.displayName) },
                .standard("displayName", filter: GraphFilter.value) { .string($0.displayName) },
            ] + more,
            key: \.id.rawValue,
            find: { key, _, _ in
                switch key {
                case .id(let text), .alternate("roletemplateid", let text):
                    RoleID(rawValue: text).flatMap { id in DirectoryRole.all.first { $0.id == id } }
                case .alternate: nil
                }
            },
            all: { _ in .fixed(key: \.id.rawValue) { _ in DirectoryRole.all } })
    }

    private static let id: @Sendable (DirectoryRole) -> JSONValue = { .string($0.id.rawValue) }
}
