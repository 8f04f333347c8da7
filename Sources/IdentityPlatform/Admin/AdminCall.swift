// SPDX-License-Identifier: Apache-2.0
internal import AdminAPI
internal import AdminServer
internal import Storage

/// Adds the routes of the identity platform's operations.
typealias AdminRouter = OperationRouter<AdminCall>

/// A call of an operation of the identity platform.
struct AdminCall: Sendable {
    let received: OperationCall
    let database: any Database
    let environment: ClockAndRandomness
    /// Returns the administrative acts, with an actor.
    let administration: @Sendable (AdminActor) -> Administration

    /// The administrative acts, with the caller as their actor.
    var acts: Administration { administration(actor()) }

    /// Returns the acts that change an object. They are refused if the object is in another state than the caller knows.
    ///
    /// - Parameter item: returns the object as the operation that reads it does.
    func acts(
        changing item: @escaping @Sendable (any Connection) throws -> any Encodable
    ) -> Administration {
        administration(
            actor { [received] connection in try received.condition?.check(try item(connection)) })
    }

    /// Returns the acts that give power over the administration. Only a caller with full control may perform them.
    var actsOfFullControl: Administration {
        administration(
            actor { [received] connection in
                try received.confirmFullControl(in: connection, orThrow: OperationRefusal.powerful)
            })
    }

    /// Returns the acts on an application. If the application can administer, on behalf of people or for itself, or can do
    /// more for people than read their own data, only a caller who has full control and has signed in recently can act on
    /// it.
    ///
    /// - Parameter item: returns what the operation that reads the application returns; nil if the acts do not change
    ///   that result.
    func acts(
        on client: Client, changing item: (@Sendable (any Connection) throws -> any Encodable)? = nil
    ) -> Administration {
        administration(
            actor { [received] connection in
                let own = try ApplicationPermissions(connection).all(of: client.id, tenant: client.tenant)
                if client.hasPower || !own.isEmpty {
                    try received.confirmFullControl(in: connection, orThrow: OperationRefusal.powerful)
                }
                if let item { try received.condition?.check(try item(connection)) }
            })
    }

    /// Returns the acts on a person. If the person has a role, only a caller who has full control and has signed in
    /// recently can act on them.
    ///
    /// - Parameter item: returns what the operation that reads the person returns; nil if the acts do not change that
    ///   result.
    func acts(
        on user: User, changing item: (@Sendable (any Connection) throws -> any Encodable)? = nil
    ) -> Administration {
        administration(
            actor { [received, environment] connection in
                let held = try HeldRoles(of: user.id, tenant: user.tenant, at: environment.now(), connection)
                if !held.all.isEmpty {
                    try received.confirmFullControl(in: connection, orThrow: OperationRefusal.privileged)
                }
                if let item { try received.condition?.check(try item(connection)) }
            })
    }

    private func actor(_ confirm: @escaping @Sendable (any Connection) throws -> Void = { _ in }) -> AdminActor {
        AdminActor(name: received.caller.name) { [received, environment] connection in
            try received.confirm(in: connection, at: environment.now())
            try confirm(connection)
        }
    }

    /// Returns the value of a path placeholder, percent-decoded.
    ///
    /// - Throws: ``OperationRefusal``
    func place(_ name: String) throws -> String { try received.place(name) }

    /// Returns the name of an object in the path.
    ///
    /// - Throws: ``OperationRefusal``
    func name(_ place: String) throws -> ObjectName { try received.name(place) }

    /// Returns the tenant in the path, identified by id or domain. The name `-` means the caller's tenant or, for a caller
    /// of all tenants, the server's only tenant.
    ///
    /// - Throws: ``AdminRefusal``, ``NamedRefusal``, ``StorageError``
    func tenant() async throws -> Tenant {
        let (name, reach) = (try name("tenant"), received.caller.reach)
        return try await database.read { connection in
            let objects = NamedObjects(connection)
            switch reach {
            case .everyTenant: return try name.text == "-" ? objects.onlyTenant() : objects.tenant(name)
            case .tenant(let own):
                let tenant = try Tenants(connection).find(own)
                if let tenant, name.text == "-" || tenant.isNamed(name) { return tenant }
            case .noTenant: break
            }
            throw AdminRefusal.noTenant.naming(
                "There is no tenant \(name.text).",
                reach == .everyTenant ? nil : AdminFailure.foreignTenantRemedy)
        }
    }

    /// Returns the id of the tenant in the path. The path may name a removed tenant by its id, if the caller may
    /// administer every tenant.
    ///
    /// - Throws: ``AdminRefusal``, ``NamedRefusal``, ``StorageError``
    func tenantOfLog() async throws -> TenantID {
        if received.caller.reach == .everyTenant, let id = TenantID(rawValue: try place("tenant")),
            try await database.read({ try Tenants($0).isRemoved(id) })
        {
            return id
        }
        return try await tenant().id
    }

    /// Returns the person in the path, identified by object id or user principal name.
    ///
    /// - Throws: ``AdminRefusal/noUser``, ``StorageError``
    func user() async throws -> User {
        let (tenant, name) = (try await tenant(), try name("user"))
        return try await database.read { try NamedObjects($0).person(name, tenant: tenant) }
    }

    /// Returns the application in the path, identified by its client id or by a unique name.
    ///
    /// - Throws: ``NamedRefusal`` `noClient`, ``StorageError``
    func client() async throws -> Client {
        let (tenant, name) = (try await tenant(), try name("client"))
        return try await database.read { try NamedObjects($0).client(name, tenant: tenant) }
    }
}

extension Tenant {
    /// Whether a name is the tenant's id or domain.
    fileprivate func isNamed(_ name: ObjectName) -> Bool {
        name.guid.map { $0 == id.rawValue } ?? (name.text.lowercased() == domain)
    }
}

extension OperationCall {
    /// Checks that the caller has full control, and has signed in shortly before. The operation must be declared as one
    /// that can concern power, because the documents state its refusals.
    ///
    /// - Throws: `refusal`, ``OperationRefusal``, ``StorageError``
    fileprivate func confirmFullControl(
        in connection: any Connection, orThrow refusal: OperationRefusal
    ) throws {
        guard operation.concernsPower else { throw UndeclaredPower(operation: operation.id) }
        guard try caller.hasFullControl(for: operation, in: connection) else { throw refusal }
        try caller.confirmRecentSignIn()
    }
}

/// The fault of an operation that checks full control, and whose declaration does not say so.
private struct UndeclaredPower: Error {
    let operation: String
}

extension Client {
    /// Whether the application can get tokens on behalf of people with which it can do more than read their own data: it
    /// is a device's broker, a client of the administration, or a client with other than ordinary permissions.
    fileprivate var hasPower: Bool { isBroker || ResourceCatalogue.givePower(permissions, to: resources) }
}

extension Users {
    /// Returns the person whom a body or a query names by object id or user principal name.
    ///
    /// - Throws: ``NamedRefusal`` `malformed`, ``AdminRefusal/noUser``, ``StorageError``
    func named(_ text: String, tenant: Tenant) throws -> User {
        try NamedObjects(connection).person(try ObjectName(given: text), tenant: tenant)
    }
}

extension ObjectName {
    /// - Throws: ``NamedRefusal`` `malformed`
    fileprivate init(given text: String?) throws {
        guard let name = text.flatMap(ObjectName.init) else {
            throw AdminRefusal.malformed.naming(AdminFailure.malformedName.message, AdminFailure.malformedName.remedy)
        }
        self = name
    }
}
