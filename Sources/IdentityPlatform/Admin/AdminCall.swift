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
    /// - Throws: ``NamedRefusal`` `malformed`
    func place(_ name: String) throws -> String { try self.name(name).text }

    /// Returns the name of an object in the path.
    ///
    /// - Throws: ``NamedRefusal`` `malformed`
    func name(_ place: String) throws -> ObjectName { try ObjectName(given: places.get(place)?.removingPercentEncoding) }

    /// Returns the tenant in the path, identified by id or domain. The name `-` means the server's only tenant.
    ///
    /// - Throws: ``AdminRefusal``, ``NamedRefusal``, ``StorageError``
    func tenant() async throws -> Tenant {
        let name = try name("tenant")
        return try await database.read { connection in
            let objects = NamedObjects(connection)
            return try name.text == "-" ? objects.onlyTenant() : objects.tenant(name)
        }
    }

    /// Returns the id of the tenant in the path. The path may name a removed tenant by its id.
    ///
    /// - Throws: ``AdminRefusal``, ``NamedRefusal``, ``StorageError``
    func tenantOfLog() async throws -> TenantID {
        if let id = TenantID(rawValue: try place("tenant")),
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
