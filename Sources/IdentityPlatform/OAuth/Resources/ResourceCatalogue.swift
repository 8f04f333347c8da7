// SPDX-License-Identifier: Apache-2.0
internal import AdminAPI
package import OAuth
internal import Storage

/// The resources of this server, under their own names and under Microsoft's names, which are built into third-party
/// clients.
package struct ResourceCatalogue: Sendable {
    package let graph: Resource
    package let deviceRegistration: Resource
    /// The administration of this server over HTTPS; nil if the server has no name for it.
    package let administration: Resource?
    let all: [Resource]

    init(names: IdentityConfiguration.Names) {
        graph = Resource(
            application: Self.graphApplication,
            identifiers: [
                "https://\(names.graph)", names.origin(of: names.graph), "https://graph.microsoft.com",
                Self.graphApplication.rawValue,
            ],
            permissions: GraphPermission.allCases.map(\.rawValue), ordinary: [GraphPermission.readSelf.rawValue])
        deviceRegistration = Resource(
            application: Self.deviceRegistrationApplication,
            identifiers: [
                "urn:ms-drs:\(names.deviceRegistration)", "urn:ms-drs:enterpriseregistration.windows.net",
                Self.deviceRegistrationApplication.rawValue,
            ],
            permissions: [Self.deviceRegistrationPermission], ordinary: [Self.deviceRegistrationPermission])
        administration = names.administration.map { name in
            Resource(
                application: Self.administrationApplication,
                identifiers: [
                    "https://\(name)", "https://\(name):\(names.administrationPort)",
                    "api://\(Self.administrationApplication)", Self.administrationApplication.rawValue,
                ],
                // The administrators' client that each tenant has is registered without permissions, so it may also use
                // the permissions of operations that are added later. Other clients must name their permissions
                // (`ClientAdministration.add`).
                permissions: AdminOperation.permissions, ordinary: AdminOperation.permissions)
        }
        all = [graph, deviceRegistration] + [administration].compactMap(\.self)
    }

    package static let graphApplication = ClientID(bytes: [0, 0, 0, 3, 0, 0, 0, 0, 0xc0, 0, 0, 0, 0, 0, 0, 0])
    package static let deviceRegistrationApplication = ClientID(
        bytes: [0x01, 0xcb, 0x28, 0x76, 0x7e, 0xbd, 0x4a, 0xa4, 0x9c, 0xc9, 0xd2, 0x8b, 0xd4, 0xd3, 0x59, 0xa9])
    package static let administrationApplication = ClientID(
        bytes: [0xb7, 0xa7, 0, 0, 0, 0, 0x40, 0, 0x80, 0, 0, 0, 0, 0, 0xad, 0x01])

    /// The resources that a client may use if its registration names none.
    static let standard = [graphApplication]

    /// Whether a client with these resources and permissions, in their official spelling, could do more on behalf of a
    /// person than every person may do for themselves. Nobody is asked whether a client may act for them, so a click of an
    /// administrator would give the client the administrator's power.
    static func givePower(_ permissions: [String], to resources: [ClientID]) -> Bool {
        resources.contains(administrationApplication) || !ordinary.isSuperset(of: permissions)
    }

    /// The permissions of Graph and of device registration that every client may have.
    private static let ordinary: Set<String> = [GraphPermission.readSelf.rawValue, deviceRegistrationPermission]
    private static let deviceRegistrationPermission = "adrs_access"

    /// Returns the official spelling of a permission's name; nil if no resource has the permission.
    func permission(named name: String) -> String? {
        all.lazy.flatMap(\.permissions).first { $0.lowercased() == name.lowercased() }
    }

    /// Parses the `scope` of a client's request, and the `resource` of version 1.
    ///
    /// Grants the requested permissions that the resource has and that the client may use. The response lists them (RFC
    /// 6749 section 3.3). If no permission can be granted, the request is refused.
    ///
    /// - Throws: ``OAuthError``
    package func grant(scope: String?, resource: String? = nil, to client: Client) throws(OAuthError) -> GrantedScope {
        guard let requested = Scopes(parsing: scope ?? "") else { throw .malformedScope }
        var names: [(identifier: String, permission: String)] = []
        for value in requested.values where !Self.protocolScopes.contains(value.lowercased()) {
            names.append(Self.split(value) ?? (Self.graphByItsOldName, value))
        }
        if let resource { names.append((Self.trimmed(resource), Self.defaultPermission)) }
        let identifier = names.first?.identifier ?? graph.identifiers[0]
        guard names.allSatisfy({ $0.identifier == identifier }) else { throw .severalResources }
        guard let found = all.first(where: { $0.identifiers.contains(identifier.lowercased()) }) else {
            throw .unknownResource
        }
        guard client.resources.contains(found.application) else { throw .noConsent }
        let permissions = try Self.permissions(names.map(\.permission), of: found, for: client)
        let lasting = requested.values + (resource.map { ["\($0)/\(Self.defaultPermission)"] } ?? [])
        return GrantedScope(
            resource: found, audience: identifier, permissions: permissions, requested: requested,
            granted: Self.granted(requested, permissions), lasting: lasting.joined(separator: " "))
    }

    /// Parses a later request by a client that already has a grant. If the request names no scope, the earlier scope
    /// applies. If such a request names a resource, the permissions of the earlier scope are dropped.
    ///
    /// - Throws: ``OAuthError``
    package func grant(
        scope: String?, resource: String?, before: String, to client: Client
    ) throws(OAuthError) -> GrantedScope {
        var scope = scope ?? before
        if resource != nil, scope == before { scope = Self.withoutPermissions(before) }
        return try grant(scope: scope, resource: resource, to: client)
    }

    /// Parses `scope` and `resource` in a form, for a client that may already have a grant.
    ///
    /// - Throws: ``OAuthError``
    func grant(
        asked form: FormParameters, before: String, to client: Client
    ) throws(OAuthError) -> GrantedScope {
        try grant(
            scope: form[ParameterName.scope], resource: form[ParameterName.resource], before: before, to: client)
    }

    /// Parses the `scope` of a client that asks for a token of its own: `<resource>/.default`. The only resource with
    /// such tokens is the administration.
    ///
    /// - Returns: the resource, and the identifier by which the client named it.
    /// - Throws: ``OAuthError``
    func resource(forApplicationAsking scope: String) throws(OAuthError) -> (resource: Resource, audience: String) {
        guard let values = Scopes(parsing: scope)?.values, values.count == 1,
            let (identifier, permission) = Self.split(values[0]), permission == Self.defaultPermission
        else { throw .applicationScope }
        guard let found = all.first(where: { $0.identifiers.contains(identifier.lowercased()) }) else {
            throw .unknownResource
        }
        guard found.application == Self.administrationApplication else { throw .personRequired }
        return (found, identifier)
    }

    /// Returns only the OpenID Connect scopes, which belong to no resource.
    private static func withoutPermissions(_ scope: String) -> String {
        scope.split(separator: " ").filter { protocolScopes.contains($0.lowercased()) }.joined(separator: " ")
    }

    private static let graphByItsOldName = "https://graph.microsoft.com"

    private static let protocolScopes: Set<String> = [
        Scopes.openID, Scopes.profile, Scopes.email, Scopes.offlineAccess, Scopes.primaryRefreshToken, Scopes.groups,
    ]

    private static func permissions(
        _ asked: [String], of resource: Resource, for client: Client
    ) throws(OAuthError) -> [String] {
        let allowed = resource.permissions(of: client)
        if asked.isEmpty || asked.contains(defaultPermission) { return allowed }
        let names = Set(asked.map { $0.lowercased() })
        let granted = allowed.filter { names.contains($0.lowercased()) }
        guard granted.isEmpty else { return granted }
        throw resource.permissions.contains { names.contains($0.lowercased()) }
            ? .noConsent(to: asked) : .unknownScopes(asked)
    }

    /// Returns the scopes in the client's spelling, without the scopes that grant no permission.
    private static func granted(_ requested: Scopes, _ permissions: [String]) -> Scopes {
        let known = protocolScopes.union(permissions.map { $0.lowercased() }).union([defaultPermission])
        return Scopes(
            requested.values.filter { value in
                known.contains(value.lowercased()) || known.contains((split(value)?.1 ?? value).lowercased())
            })
    }

    private static let defaultPermission = ".default"

    /// Splits `https://graph.example//.default` at its last slash. Returns nil for a name without a slash; such a name
    /// is a permission of Graph.
    private static func split(_ scope: String) -> (String, String)? {
        guard let slash = scope.lastIndex(of: "/") else { return nil }
        return (trimmed(String(scope[..<slash])), String(scope[scope.index(after: slash)...]))
    }

    private static func trimmed(_ identifier: String) -> String {
        identifier.hasSuffix("/") ? String(identifier.dropLast()) : identifier
    }
}

/// The scope that a client requested and gets: one resource, some of its permissions, and scopes of OpenID Connect.
package struct GrantedScope: Sendable {
    package let resource: Resource
    /// The identifier by which the client named the resource. It becomes `aud`.
    package let audience: String
    /// The permissions, for `scp`.
    package let permissions: [String]
    /// The scopes in the client's spelling.
    package let requested: Scopes
    /// The granted scopes, for the response. A requested scope that is missing here was not granted.
    package let granted: Scopes
    /// The scope to store in a code or a refresh token. It includes the `resource` of version 1 as a scope.
    package let lasting: String

    /// The contents of `scp` in an access token: the permissions, and the requested profile scopes for UserInfo.
    var carried: [String] {
        permissions + [Scopes.openID, Scopes.profile, Scopes.email].filter(requested.contains)
    }

    package var isOpenID: Bool { requested.contains(Scopes.openID) }
    package var wantsRefreshToken: Bool { requested.contains(Scopes.offlineAccess) }
}

/// An application that receives access tokens.
package struct Resource: Sendable {
    package let application: ClientID
    /// The names by which the resource is known in `resource`, in the first part of a scope and in `aud`, without a
    /// trailing slash.
    package let identifiers: [String]
    /// The permissions of the resource. A permission alone is not enough: the token's person must also be allowed to
    /// perform the operation.
    package let permissions: [String]
    /// The permissions that a client gets if no permission is registered for the client explicitly.
    package let ordinary: [String]

    /// Returns the permissions that a client may have. `.default` requests all of them.
    func permissions(of client: Client) -> [String] {
        let registered = Set(client.permissions.map { $0.lowercased() })
        let named = permissions.filter { registered.contains($0.lowercased()) }
        return named.isEmpty ? ordinary : named
    }
}
