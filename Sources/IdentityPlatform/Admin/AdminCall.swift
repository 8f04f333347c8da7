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

    /// Returns the tenant in the path, identified by id or domain. The name `-` means the caller's tenant or, for a caller
    /// of all tenants, the server's only tenant.
    ///
    /// - Throws: ``AdminRefusal``, ``NamedRefusal``, ``StorageError``
    func tenant() async throws -> Tenant {
        let name = try place("tenant")
        let caller = received.caller
        if name == "-", caller.tenant == nil { return try await onlyTenant() }
        let tenant = try await database.read { connection in
            let tenants = Tenants(connection)
            if name == "-" { return try caller.tenant.flatMap { try tenants.find($0) } }
            return try TenantID(rawValue: name.lowercased()).map { try tenants.find($0) } ?? tenants.find(domain: name)
        }
        // A caller learns nothing of other tenants, not even whether they exist.
        guard let tenant, caller.tenant == nil || caller.tenant == tenant.id else {
            throw AdminRefusal.noTenant.naming("There is no tenant \(name).")
        }
        return tenant
    }

    private func onlyTenant() async throws -> Tenant {
        let all = try await database.read { try Tenants($0).all() }
        guard all.count <= 1 else {
            let (message, remedy) = AdminFailure.ambiguousTenant(all.map(\.domain))
            throw AdminRefusal.ambiguousTenant.naming(message, remedy)
        }
        guard let only = all.first else { throw AdminRefusal.noTenants }
        return only
    }

    /// Returns the id of the tenant in the path. The path may name a removed tenant by its id, if the caller may
    /// administer every tenant.
    ///
    /// - Throws: ``AdminRefusal``, ``NamedRefusal``, ``StorageError``
    func tenantOfLog() async throws -> TenantID {
        if received.caller.tenant == nil, let id = TenantID(rawValue: try place("tenant").lowercased()),
            try await database.read({ try Tenants($0).removed() }).contains(id)
        {
            return id
        }
        return try await tenant().id
    }

    /// Returns the person in the path, identified by object id or user principal name.
    ///
    /// - Throws: ``AdminRefusal/noUser``, ``StorageError``
    func user() async throws -> User {
        let (tenant, name) = (try await tenant(), try place("user"))
        return try await database.read { try Users($0).named(name, tenant: tenant) }
    }

    /// Returns the application in the path, identified by its client id.
    ///
    /// - Throws: ``NamedRefusal`` `noClient`, ``StorageError``
    func client() async throws -> Client {
        let (tenant, name) = (try await tenant(), try place("client"))
        let client = try await database.read { connection in
            try ClientID(rawValue: name).flatMap { try Clients(connection).find($0, tenant: tenant.id) }
        }
        guard let client else { throw AdminRefusal.noClient.naming("There is no client \(name) in \(tenant.domain).") }
        return client
    }
}

extension Users {
    /// Returns the person who has this object id or user principal name.
    ///
    /// - Throws: ``AdminRefusal/noUser``, ``StorageError``
    func named(_ name: String, tenant: Tenant) throws -> User {
        let user =
            try UserID(rawValue: name).map { try find($0, tenant: tenant.id) } ?? find(name: name, tenant: tenant.id)
        guard let user else { throw AdminRefusal.noUser }
        return user
    }
}
