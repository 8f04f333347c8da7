// SPDX-License-Identifier: Apache-2.0
internal import HTTPTypes
internal import Hummingbird
internal import JSON
internal import Redaction
internal import Storage

extension GraphRoute {
    /// The routes about the caller.
    static let me: [GraphRoute] = [
        GraphRoute(.get, "/me", access: .readSelf) { call in try call.show(.people, call.token.user) },
        GraphRoute(.get, "/me/memberOf", access: .readSelf) { call in try await memberships(call.token.user, call) },
        GraphRoute(.get, "/me/registeredDevices", access: .readSelf) { call in
            try await ownDevices(call.token.user, call)
        },
        GraphRoute(.get, "/me/ownedDevices", access: .readSelf) { call in try await ownDevices(call.token.user, call) },
        GraphRoute(.post, "/me/revokeSignInSessions", access: .revokeOwnSessions) { call in
            try await revoke(call.token.user, call, by: call.actor())
        },
    ]

    /// The routes of `users`.
    static let people: [GraphRoute] =
        reading(.people, .readPeople) + [
            GraphRoute(.post, "/users", access: .changePeople, answer: add),
            GraphRoute(.patch, "/users/{id}", access: .changePeople, answer: change),
            GraphRoute(.delete, "/users/{id}", access: .changePeople) { call in
                let user = try await call.find(.people)
                try await call.directory.administration(call.actor(changing: user)).users.remove(user)
                return Response(status: .noContent)
            },
            GraphRoute(.get, "/users/{id}/memberOf", access: .readPeople) { call in
                try await memberships(try await call.find(.people), call)
            },
            GraphRoute(.get, "/users/{id}/ownedDevices", access: .readPeople) { call in
                try await ownDevices(try await call.find(.people), call)
            },
            GraphRoute(.post, "/users/{id}/revokeSignInSessions", access: .revokeSessions) { call in
                let user = try await call.find(.people)
                return try await revoke(user, call, by: call.actor(changing: user))
            },
        ]

    private static func memberships(_ user: User, _ call: GraphCall) async throws -> Response {
        try await call.list(
            .memberships,
            .fixed(key: \.id) { try Membership.all(of: user.id, tenant: user.tenant, $0) })
    }

    private static func ownDevices(_ user: User, _ call: GraphCall) async throws -> Response {
        let scope: SQL = "tenant = \(user.tenant) AND registeredOwner = \(user.id)"
        let devices = GraphKind<Device>.devices.amongOthers
        return try await call.list(devices, GraphKind<Device>.listed(where: scope, user.tenant))
    }

    private static func revoke(_ user: User, _ call: GraphCall, by actor: AdminActor) async throws -> Response {
        try await call.directory.administration(actor).users.revokeSessions(of: user)
        return call.answer("Edm.Boolean", [GraphName.value.rawValue: .bool(true)])
    }

    @Sendable private static func add(_ call: GraphCall) async throws -> Response {
        let body = try await call.body(
            allowing: "accountEnabled", "displayName", "mailNickname", "userPrincipalName", "passwordProfile",
            "givenName", "surname", "jobTitle", "mail", "mobilePhone")
        let name = try body.required("userPrincipalName")
        guard try body.text("mailNickname") ?? nickname(name) == nickname(name) else { throw GraphError.badNickname }
        let named = User.Profile(displayName: try body.required("displayName"))
        let profile = try profile(body)(named)
        guard let password = try password(body) else { throw GraphError.badBody }
        let user = try await call.directory.administration(call.actor()).users.add(
            name, profile: profile, password: password,
            isEnabled: try body.truth("accountEnabled") ?? true, tenant: try await call.organisation())
        return try call.show(.people, user, status: .created)
    }

    @Sendable private static func change(_ call: GraphCall) async throws -> Response {
        let body = try await call.body(
            allowing: "accountEnabled", "displayName", "passwordProfile", "givenName", "surname", "jobTitle", "mail",
            "mobilePhone")
        let user = try await call.find(.people)
        let profile = try profile(body)
        try await call.directory.administration(call.actor(changing: user)).users.change(
            user,
            to: UserAdministration.Change(
                isEnabled: try body.truth("accountEnabled"), password: try password(body), profile: profile))
        return Response(status: .noContent)
    }

    private static func nickname(_ name: String) -> String { String(name.prefix { $0 != "@" }) }

    /// Returns the change that the body describes, as a function of the present profile.
    ///
    /// - Throws: ``GraphError``
    private static func profile(_ body: GraphBody) throws -> @Sendable (User.Profile) -> User.Profile {
        let displayName = try body.text("displayName")
        let (givenName, surname) = (try body.change("givenName"), try body.change("surname"))
        let (mail, jobTitle) = (try body.change("mail"), try body.change("jobTitle"))
        let mobilePhone = try body.change("mobilePhone")
        return { former in
            User.Profile(
                displayName: displayName ?? former.displayName, givenName: givenName(former.givenName),
                surname: surname(former.surname), mail: mail(former.mail), jobTitle: jobTitle(former.jobTitle),
                mobilePhone: mobilePhone(former.mobilePhone))
        }
    }

    /// Returns the new password; nil if the body has none. Forcing a change at the next sign-in is not supported, since
    /// there is no page for it.
    private static func password(_ body: GraphBody) throws -> Sensitive<String>? {
        let profile = try body.object(
            "passwordProfile", allowing: "password", "forceChangePasswordNextSignIn",
            "forceChangePasswordNextSignInWithMfa")
        guard let profile else { return nil }
        guard try profile.truth("forceChangePasswordNextSignIn") != true,
            try profile.truth("forceChangePasswordNextSignInWithMfa") != true
        else { throw GraphError.noForcedChange }
        return Sensitive(try profile.required("password"))
    }
}

extension GraphCall {
    /// Returns the caller as the actor of a change to a person. Only a Global Administrator may change a person who has
    /// a directory role. Otherwise anyone who can set passwords could take over an administrator's account.
    fileprivate func actor(changing user: User) throws -> AdminActor {
        try actor(changing: .people) { [roles, now = directory.environment.now] connection in
            let held = try HeldRoles(of: user.id, tenant: user.tenant, at: now(), connection)
            guard !held.all.isEmpty else { return }
            let own = try roles(connection).all
            guard own.contains(DirectoryRole.globalAdministrator.id) else { throw GraphError.privileged }
        }
    }

    /// Returns the organisation that issued the token.
    func organisation() async throws -> Tenant {
        let found = try await directory.database.read { [tenant] in try Tenants($0).find(tenant) }
        guard let found else { throw GraphError.notFound }
        return found
    }
}
