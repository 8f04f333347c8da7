// SPDX-License-Identifier: Apache-2.0
package import OAuth
package import Redaction
internal import Storage

/// What an operator says of an application to be registered.
package struct NewClient: Sendable {
    /// A fresh one where it is nil.
    package var id: ClientID?
    package var displayName: String
    package var redirectURIs: [String]
    /// Where it may be led back to after a sign-out; its redirect URIs where it is nil.
    package var logoutURIs: [String]?
    package var resources: [ClientID]
    package var permissions: [String]
    /// Whether it keeps a secret by which it proves itself.
    package var isConfidential: Bool
    package var tokenAlgorithm: SignatureAlgorithm

    package init(
        id: ClientID? = nil, displayName: String, redirectURIs: [String], logoutURIs: [String]? = nil,
        resources: [ClientID]? = nil, permissions: [String] = [], isConfidential: Bool = false,
        tokenAlgorithm: SignatureAlgorithm = .rs256
    ) {
        (self.id, self.displayName) = (id, displayName)
        (self.redirectURIs, self.logoutURIs) = (redirectURIs, logoutURIs)
        self.resources = resources ?? ResourceCatalogue.standard
        self.permissions = permissions
        (self.isConfidential, self.tokenAlgorithm) = (isConfidential, tokenAlgorithm)
    }
}

extension Administration {
    /// Registers an application.
    ///
    /// - Throws: ``AdminRefusal``, ``StorageError``
    package func addClient(_ new: NewClient, tenant: Tenant) async throws -> Client {
        try check(displayName: new.displayName)
        let logoutURIs = new.logoutURIs ?? new.redirectURIs
        guard [new.redirectURIs, logoutURIs].allSatisfy({ $0.count <= 32 && $0.allSatisfy { RedirectURI($0) != nil } })
        else { throw AdminRefusal.badRedirect }
        let known = [ResourceCatalogue.graphApplication, ResourceCatalogue.deviceRegistrationApplication]
        guard new.resources.allSatisfy(known.contains) else { throw AdminRefusal.unknownResource }
        let permissions = try new.permissions.map { name in
            guard let permission = platform.resources.permission(named: name) else {
                throw AdminRefusal.unknownPermission
            }
            return permission
        }
        guard KeySchedule.algorithms.contains(new.tokenAlgorithm) else { throw AdminRefusal.unknownAlgorithm }
        let client = Client(
            tenant: tenant.id, id: new.id ?? platform.environment.identifier(), displayName: new.displayName,
            redirectURIs: new.redirectURIs, logoutURIs: logoutURIs, resources: new.resources, permissions: permissions,
            isPublic: !new.isConfidential, tokenAlgorithm: new.tokenAlgorithm)
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

    /// Enables an application, or disables it: it gets nothing any more, and what it has got is of no use until then.
    ///
    /// - Throws: ``StorageError``
    package func setEnabled(_ isEnabled: Bool, _ client: Client) async throws {
        try await write { connection, now in
            try Clients(connection).setEnabled(isEnabled, client.id, tenant: client.tenant)
            try record(
                isEnabled ? .clientEnabled : .clientDisabled, client.tenant, client.id.rawValue, now, connection)
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

    /// Gives a confidential client one more secret.
    ///
    /// - Returns: what is known of it later, and its text, which is not kept.
    /// - Throws: ``AdminRefusal``, ``StorageError``
    package func addSecret(to client: Client) async throws -> (secret: ClientSecret, text: Sensitive<String>) {
        guard !client.isPublic else { throw AdminRefusal.publicClient }
        let now = platform.environment.now()
        let (text, hash) = ClientSecret.draw(platform.environment)
        let secret = ClientSecret(
            id: platform.environment.identifier(of: ClientSecret.self).rawValue, created: now,
            expires: now + ClientSecret.lifetime)
        try await write { connection, now in
            try ClientSecrets(connection).add(secret, hash: hash, to: client)
            try record(.clientSecretAdded, client.tenant, client.id.rawValue, now, connection)
        }
        return (secret, text)
    }

    /// Takes a secret away; what it got so far stays good.
    ///
    /// - Throws: ``AdminRefusal``, ``StorageError``
    package func removeSecret(_ id: String, of client: Client) async throws {
        try await write { connection, now in
            guard try ClientSecrets(connection).remove(id, of: client) else { throw AdminRefusal.noSecret }
            try record(.clientSecretRemoved, client.tenant, client.id.rawValue, now, connection)
        }
    }
}
