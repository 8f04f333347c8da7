// SPDX-License-Identifier: Apache-2.0
internal import HTTPTypes
internal import Hummingbird
internal import OAuth

/// The part of Microsoft Graph v1.0 that the platform answers for its own directory.
struct GraphEndpoints: Sendable {
    let platform: Platform

    func addRoutes(to router: Router<IdentityContext>) {
        router.get("/v1.0/me") { request, _ in
            let token = try await platform.accessTokens.check(
                authorization: request.headers[.authorization], for: platform.resources.graph)
            guard token.permissions.contains("User.Read") else { throw GraphError.accessDenied }
            return Response(json: try person(token.user, select: try request.queryParameters()["$select"]))
        }
    }

    /// A person as Graph writes one: the default properties, or those that `$select` names.
    private func person(_ user: User, select: String?) throws -> MembersWriter {
        var wanted = GraphProperty.standard
        if let select {
            wanted = try select.split(separator: ",").map { name in
                let name = name.filter { $0 != " " }
                let property = GraphProperty.allCases.first { $0.rawValue.lowercased() == name.lowercased() }
                guard let property else { throw GraphError.unknownProperty }
                return property
            }
        }
        let suffix = select.map { _ in "(\(wanted.map(\.rawValue).joined(separator: ",")))" } ?? ""
        let names = platform.configuration.names
        var members = MembersWriter()
        members.set(
            GraphName.context, "\(names.origin(of: names.graph))/v1.0/$metadata#users\(suffix)/$entity")
        for property in wanted { property.write(user, to: &members) }
        return members
    }
}
