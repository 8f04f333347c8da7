// SPDX-License-Identifier: Apache-2.0
internal import AdminAPI
internal import Foundation
internal import Hummingbird
internal import Storage

/// A call on the administration socket.
struct AdminCall: Sendable {
    let request: Request
    /// The values of the path's placeholders.
    let places: Parameters
    let database: any Database

    /// Returns the value of a path placeholder, percent-decoded.
    ///
    /// - Throws: ``AdminRefusal/malformed``
    func place(_ name: String) throws(AdminRefusal) -> String {
        guard let text = places.get(name)?.removingPercentEncoding else { throw .malformed }
        return text
    }

    /// Returns the tenant in the path, identified by id or domain. The name `-` means the server's only tenant.
    ///
    /// - Throws: ``AdminRefusal``, ``NamedRefusal``, ``StorageError``
    func tenant() async throws -> Tenant {
        let name = try place("tenant")
        guard name != "-" else { return try await onlyTenant() }
        let tenant = try await database.read { connection in
            let tenants = Tenants(connection)
            return try TenantID(rawValue: name.lowercased()).map { try tenants.find($0) } ?? tenants.find(domain: name)
        }
        guard let tenant else { throw AdminRefusal.noTenant.naming("There is no tenant \(name).") }
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

    /// Returns the id of the tenant in the path. The path may name a removed tenant by its id.
    ///
    /// - Throws: ``AdminRefusal``, ``NamedRefusal``, ``StorageError``
    func tenantOfLog() async throws -> TenantID {
        if let id = TenantID(rawValue: try place("tenant").lowercased()),
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
