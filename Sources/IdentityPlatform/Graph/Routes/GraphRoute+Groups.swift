// SPDX-License-Identifier: Apache-2.0
internal import HTTPTypes
internal import Hummingbird
internal import Storage

extension GraphRoute {
    /// The routes of `groups` and of their members, which are people.
    static let groups: [GraphRoute] =
        reading(.groups, .readGroups) + [
            GraphRoute(.post, "/groups", access: .changeGroups, answer: addGroup),
            GraphRoute(.patch, "/groups/{id}", access: .changeGroups, answer: changeGroup),
            GraphRoute(.delete, "/groups/{id}", access: .changeGroups) { call in
                let group = try await call.find(.groups)
                try await call.directory.administration(call.actor(changing: .groups)).groups.remove(group)
                return Response(status: .noContent)
            },
            GraphRoute(.get, "/groups/{id}/members", access: .readGroups) { call in
                let group = try await call.find(.groups)
                let scope: SQL = "tenant = \(group.tenant) AND directoryGroup = \(group.id)"
                return try await call.list(
                    GraphKind<User>.people.amongOthers,
                    GraphKind<User>.members(of: GroupMember.self, key: .person, where: scope, group.tenant))
            },
            GraphRoute(.post, "/groups/{id}/members/$ref", access: .changeGroups) { call in
                let group = try await call.find(.groups)
                let person = try await call.reference()
                let groups = try call.directory.administration(call.actor(changing: .groups)).groups
                guard try await groups.addMember(person, to: group) else { throw AdminRefusal.taken }
                return Response(status: .noContent)
            },
            GraphRoute(.delete, "/groups/{id}/members/{member}/$ref", access: .changeGroups) { call in
                let group = try await call.find(.groups)
                let person = try call.member()
                let groups = try call.directory.administration(call.actor(changing: .groups)).groups
                guard try await groups.removeMember(person, from: group) else { throw AdminRefusal.noUser }
                return Response(status: .noContent)
            },
        ]

    @Sendable private static func addGroup(_ call: GraphCall) async throws -> Response {
        let body = try await call.body(
            allowing: "displayName", "description", "mailNickname", "mailEnabled", "securityEnabled", "groupTypes")
        try checkKind(body)
        let group = try await call.directory.administration(call.actor()).groups.add(
            try body.required("displayName"), mailNickname: try body.required("mailNickname"),
            description: try body.change("description")(nil), tenant: call.tenant)
        return try call.show(.groups, group, status: .created)
    }

    @Sendable private static func changeGroup(_ call: GraphCall) async throws -> Response {
        let body = try await call.body(allowing: "displayName", "description", "mailNickname")
        let group = try await call.find(.groups)
        let (displayName, mailNickname) = (try body.text("displayName"), try body.text("mailNickname"))
        let description = try body.change("description")
        try await call.directory.administration(call.actor(changing: .groups)).groups.change(group) { present in
            Group(
                tenant: present.tenant, id: present.id, displayName: displayName ?? present.displayName,
                mailNickname: mailNickname ?? present.mailNickname,
                description: description(present.description), created: present.created)
        }
        return Response(status: .noContent)
    }

    /// Checks that the body describes a security group. Mail-enabled groups are not supported.
    private static func checkKind(_ body: GraphBody) throws(GraphError) {
        guard try body.truth("mailEnabled") != true, try body.truth("securityEnabled") != false,
            try body.isEmptyList("groupTypes")
        else { throw .unknownGroupKind }
    }
}

extension GraphCall {
    /// Returns the person named in a body of the form `{"@odata.id":"https://…/v1.0/directoryObjects/{id}"}`.
    ///
    /// - Throws: ``GraphError``
    func reference() async throws -> UserID {
        let body = try await body(allowing: GraphName.objectID.rawValue)
        let names = directory.configuration.names
        guard let address = HTTPSAddress(try body.required(GraphName.objectID.rawValue)),
            ([names.graph, "graph.microsoft.com"] + names.aliases.graph).contains(address.host)
        else { throw GraphError.badReference }
        let parts = address.path.split(separator: "/").map { $0.lowercased() }
        guard parts.count == 3, parts[0] == "v1.0", ["directoryobjects", "users"].contains(parts[1]),
            let id = UserID(rawValue: parts[2])
        else { throw GraphError.badReference }
        return id
    }

    /// Returns the id of the member in the path.
    ///
    /// - Throws: ``GraphError``
    func member() throws(GraphError) -> UserID {
        guard let id = UserID(rawValue: try place("member")) else { throw .notFound }
        return id
    }
}
