// SPDX-License-Identifier: Apache-2.0
internal import JSON
internal import Storage

extension GraphKind where Item == User {
    /// `users`: the people. They are found by id or user principal name.
    static let people = GraphKind(
        collection: "users", type: { _ in "#microsoft.graph.user" },
        properties: [
            .standard("businessPhones") { _ in .array([]) },
            .standard("displayName", filter: GraphFilter.text("displayName")) { .string($0.profile.displayName) },
            .standard("givenName", filter: GraphFilter.text("givenName")) { JSONValue($0.profile.givenName) },
            .standard("id", filter: GraphFilter.lowercased("id")) { .string($0.id.rawValue) },
            .standard("jobTitle", filter: GraphFilter.text("jobTitle")) { JSONValue($0.profile.jobTitle) },
            .standard("mail", filter: GraphFilter.text("mail")) { JSONValue($0.profile.mail) },
            .standard("mobilePhone") { JSONValue($0.profile.mobilePhone) },
            .standard("officeLocation") { _ in .null },
            .standard("preferredLanguage") { _ in .null },
            .standard("surname", filter: GraphFilter.text("surname")) { JSONValue($0.profile.surname) },
            .standard("userPrincipalName", filter: GraphFilter.lowercased("loginName")) {
                .string($0.userPrincipalName)
            },
            .selected("accountEnabled", filter: GraphFilter.truth("accountEnabled")) { .bool($0.isEnabled) },
            .selected("mailNickname") { .string(String($0.userPrincipalName.prefix { $0 != "@" })) },
            .selected("userType") { _ in .string("Member") },
        ],
        key: \.id.rawValue,
        find: { key, tenant, connection in
            let name = key.text
            let users = Users(connection)
            return try UserID(rawValue: name).map { try users.find($0, tenant: tenant) }
                ?? users.find(name: name, tenant: tenant)
        },
        all: { tenant in members(of: User.self, key: .id, where: "tenant = \(tenant)", tenant) })

    /// Returns the list of the people whose ids are in a column.
    static func members<Source: Table>(
        of source: Source.Type, key: Source.Column, where scope: SQL, _ tenant: TenantID
    ) -> GraphList<User> {
        .rows(of: source, key: key, where: scope) { id, connection in
            try UserID(rawValue: id).flatMap { try Users(connection).find($0, tenant: tenant) }
        }
    }
}
