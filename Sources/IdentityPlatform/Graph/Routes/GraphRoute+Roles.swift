// SPDX-License-Identifier: Apache-2.0
internal import HTTPTypes
internal import Hummingbird
internal import Storage

extension GraphRoute {
    /// The routes of `directoryRoles`, of their templates, and of their members, which are people.
    static let roles: [GraphRoute] =
        reading(.roles, .readRoles) + reading(.roleTemplates, .readRoles) + [
            GraphRoute(.get, "/directoryRoles/{id}/members", access: .readRoles) { call in
                let role = try await call.find(.roles)
                let scope: SQL = "tenant = \(call.tenant) AND role = \(role.id)"
                return try await call.list(
                    GraphKind<User>.people.amongOthers,
                    GraphKind<User>.members(of: RoleMember.self, key: .person, where: scope, call.tenant))
            },
            GraphRoute(.post, "/directoryRoles", access: .changeRoles) { call in
                let body = try await call.body(allowing: "roleTemplateId")
                let id = RoleID(rawValue: try body.required("roleTemplateId"))
                guard let role = DirectoryRole.all.first(where: { $0.id == id }) else { throw GraphError.notFound }
                return try call.show(.roles, role, status: .created)
            },
            GraphRoute(.post, "/directoryRoles/{id}/members/$ref", access: .changeRoles) { call in
                let role = try await call.find(.roles)
                try await call.directory.administration(call.actor()).users.assign(
                    role, to: try await call.person(try await call.reference()))
                return Response(status: .noContent)
            },
            GraphRoute(.delete, "/directoryRoles/{id}/members/{member}/$ref", access: .changeRoles) { call in
                let role = try await call.find(.roles)
                try await call.directory.administration(call.actor()).users.unassign(
                    role, from: try await call.person(try call.member()))
                return Response(status: .noContent)
            },
        ]
}

extension GraphCall {
    /// Returns the person who has this id.
    ///
    /// - Throws: ``GraphError`` `notFound`, ``StorageError``
    fileprivate func person(_ id: UserID) async throws -> User {
        let found = try await directory.database.read { [tenant] in try Users($0).find(id, tenant: tenant) }
        guard let found else { throw GraphError.notFound }
        return found
    }
}
