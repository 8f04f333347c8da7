// SPDX-License-Identifier: Apache-2.0
internal import Storage

/// What an operator says of an application to be registered.
package struct NewClient: Sendable {
    /// A fresh one where it is nil.
    package var id: ClientID?
    package var displayName: String
    package var redirectURIs: [String]
    package var resources: [ClientID]
    package var permissions: [String]

    package init(
        id: ClientID? = nil, displayName: String, redirectURIs: [String], resources: [ClientID]? = nil,
        permissions: [String] = []
    ) {
        (self.id, self.displayName, self.redirectURIs) = (id, displayName, redirectURIs)
        self.resources = resources ?? ResourceCatalogue.standard
        self.permissions = permissions
    }
}

extension Administration {
    /// Registers an application.
    ///
    /// - Throws: ``AdminRefusal``, ``StorageError``
    package func addClient(_ new: NewClient, tenant: Tenant) async throws -> Client {
        try check(displayName: new.displayName)
        guard new.redirectURIs.count <= 32, new.redirectURIs.allSatisfy({ RedirectURI($0) != nil }) else {
            throw AdminRefusal.badRedirect
        }
        let known = [ResourceCatalogue.graphApplication, ResourceCatalogue.deviceRegistrationApplication]
        guard new.resources.allSatisfy(known.contains) else { throw AdminRefusal.unknownResource }
        let permissions = try new.permissions.map { name in
            guard let permission = platform.resources.permission(named: name) else {
                throw AdminRefusal.unknownPermission
            }
            return permission
        }
        let client = Client(
            tenant: tenant.id, id: new.id ?? platform.ambient.identifier(), displayName: new.displayName,
            redirectURIs: new.redirectURIs, resources: new.resources, permissions: permissions, isBroker: false)
        try await write { connection, now in
            try Clients(connection).add(client, at: now)
            try record(.clientAdded, tenant.id, client.id.rawValue, now, connection)
        }
        return client
    }

    /// Registers what the tenant has not yet of the applications of other makers (``WellKnownClient/compatibilityPack``).
    ///
    /// - Returns: those that are new.
    /// - Throws: ``StorageError``
    package func addCompatibilityClients(tenant: Tenant) async throws -> [Client] {
        let clients = WellKnownClient.compatibilityPack(names: platform.configuration.names)
            .map { $0.registration(in: tenant.id) }
        return try await write { connection, now in
            let registry = Clients(connection)
            return try clients.filter { client in
                guard try registry.find(client.id, tenant: tenant.id) == nil else { return false }
                try registry.add(client, at: now)
                try record(.clientAdded, tenant.id, client.id.rawValue, now, connection)
                return true
            }
        }
    }

    /// Removes an application with its codes and refresh tokens.
    ///
    /// - Throws: ``StorageError``
    package func remove(_ client: Client) async throws {
        try await write { connection, now in
            try Clients(connection).remove(client.id, tenant: client.tenant)
            try record(.clientRemoved, client.tenant, client.id.rawValue, now, connection)
        }
    }
}
