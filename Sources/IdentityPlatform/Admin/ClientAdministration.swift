// SPDX-License-Identifier: Apache-2.0
package import AdminAPI
internal import AdminServer
package import HTTPTypes
package import OAuth
package import Redaction
internal import Storage

/// An application to register.
package struct NewClient: Sendable {
    /// The id; nil to generate one.
    package var id: ClientID?
    package var displayName: String
    package var redirectURIs: [String]
    /// The allowed redirect URIs after a sign-out; nil to allow ``redirectURIs``.
    package var logoutURIs: [String]?
    package var resources: [ClientID]
    package var permissions: [String]
    /// Whether the application authenticates with a secret.
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

/// A redirect URI that cannot be registered.
package struct RefusedRedirectURI: OperationRefusing, Sendable {
    package let text: String
    package let problem: RedirectURIProblem

    package var status: HTTPResponse.Status { AdminRefusal.badRedirect.status }

    package var failure: AdminFailure {
        let (cause, remedy) = problem.words
        return AdminFailure(
            code: AdminRefusal.badRedirect.rawValue, message: "The address \(text.prefix(200)) \(cause).",
            remedy: remedy)
    }
}

/// Administrative acts on applications and their secrets.
package struct ClientAdministration: Sendable {
    let transactions: AdminTransactions
    let resources: ResourceCatalogue
    let names: IdentityConfiguration.Names

    /// Registers an application.
    ///
    /// - Throws: ``AdminRefusal``, ``RefusedRedirectURI``, ``StorageError``
    package func add(_ new: NewClient, tenant: Tenant) async throws -> Client {
        try NameRules.check(displayName: new.displayName)
        let logoutURIs = new.logoutURIs ?? new.redirectURIs
        for uris in [new.redirectURIs, logoutURIs] {
            guard uris.count <= 32 else { throw AdminRefusal.tooManyRedirects }
            for uri in uris {
                do { _ = try RedirectURI(registering: uri) } catch {
                    throw RefusedRedirectURI(text: uri, problem: error)
                }
            }
        }
        guard new.id.map({ !reservedIDs.contains($0) }) ?? true else {
            throw AdminRefusal.badClientID.naming(
                "This id belongs to a client that only the server itself registers, or to a resource.",
                "Leave the id out for a fresh one. The server's clients and those of other makers are added by: "
                    + "baton admin client add-compatibility.")
        }
        let known = resources.all.map(\.application)
        guard new.resources.allSatisfy(known.contains) else { throw AdminRefusal.unknownResource }
        let permissions = try new.permissions.map { name in
            guard let permission = resources.permission(named: name) else {
                throw AdminRefusal.unknownPermission
            }
            return permission
        }
        try confirmThatItIsLimited(permissions, for: new.resources)
        guard KeySchedule.algorithms.contains(new.tokenAlgorithm) else { throw AdminRefusal.unknownAlgorithm }
        let client = Client(
            tenant: tenant.id, id: new.id ?? transactions.environment.identifier(), displayName: new.displayName,
            redirectURIs: new.redirectURIs, logoutURIs: logoutURIs, resources: new.resources, permissions: permissions,
            isPublic: !new.isConfidential, tokenAlgorithm: new.tokenAlgorithm)
        try await transactions.write { act in
            try Clients(act.connection).add(client, at: act.now)
            try act.record(.clientAdded, of: tenant.id, subject: client.id.rawValue)
        }
        return client
    }

    /// The ids that only the server gives: those of its own clients, of the clients of other makers, and of resources.
    /// Otherwise somebody else could register one of these ids with another address, and get what is meant for it.
    private var reservedIDs: Set<ClientID> {
        let clients = WellKnownClient.ofEveryTenant + WellKnownClient.compatibilityPack(names: names)
        return Set(
            clients.map(\.id) + [
                ResourceCatalogue.graphApplication, ResourceCatalogue.deviceRegistrationApplication,
                ResourceCatalogue.administrationApplication,
            ])
    }

    /// Checks that a client of the administration names the permissions that it may use there. A client that names none
    /// could use all permissions on behalf of a person (``Resource/ordinary``), even those of future operations.
    private func confirmThatItIsLimited(_ permissions: [String], for requested: [ClientID]) throws {
        guard let administration = resources.administration, requested.contains(administration.application) else {
            return
        }
        guard administration.permissions.contains(where: permissions.contains) else {
            throw AdminRefusal.unknownPermission.naming(
                "A client of the administration must name the permissions that it may use.",
                "Name at least one of the permissions for administration.")
        }
    }

    /// Registers those third-party applications that the tenant does not have yet
    /// (``WellKnownClient/compatibilityPack``), and those of the server's own clients that somebody has removed.
    ///
    /// - Returns: the added registrations.
    /// - Throws: ``StorageError``
    package func addCompatibilityPack(tenant: Tenant) async throws -> [Client] {
        let clients = (WellKnownClient.ofEveryTenant + WellKnownClient.compatibilityPack(names: names))
            .map { $0.registration(in: tenant.id) }
        return try await transactions.write { act in
            let registry = Clients(act.connection)
            return try clients.filter { client in
                guard try registry.find(client.id, tenant: tenant.id) == nil else { return false }
                try registry.add(client, at: act.now)
                try act.record(.clientAdded, of: tenant.id, subject: client.id.rawValue)
                return true
            }
        }
    }

    /// Enables or disables an application. A disabled application cannot get tokens or use the tokens that it already
    /// has.
    ///
    /// - Throws: ``StorageError``
    package func setEnabled(_ isEnabled: Bool, _ client: Client) async throws {
        try await transactions.write { act in
            let hasChanged = try Clients(act.connection).setEnabled(isEnabled, client.id, tenant: client.tenant)
            guard hasChanged else { return }
            try act.record(isEnabled ? .clientEnabled : .clientDisabled, of: client.tenant, subject: client.id.rawValue)
        }
    }

    /// Removes an application together with its codes and refresh tokens. The server's own clients stay.
    ///
    /// - Throws: ``AdminRefusal`` `ownClient` or `noClient`, ``StorageError``
    package func remove(_ client: Client) async throws {
        try await transactions.write { act in
            guard !WellKnownClient.ofEveryTenant.contains(where: { $0.id == client.id }) else {
                throw AdminRefusal.ownClient
            }
            guard try Clients(act.connection).remove(client.id, tenant: client.tenant) else {
                throw AdminRefusal.noClient
            }
            try act.record(.clientRemoved, of: client.tenant, subject: client.id.rawValue)
        }
    }

    /// Adds a secret to a confidential client.
    ///
    /// - Returns: the stored secret record, and the secret's text, which is not stored.
    /// - Throws: ``AdminRefusal``, ``StorageError``
    package func addSecret(to client: Client) async throws -> (secret: ClientSecret, text: Sensitive<String>) {
        guard !client.isPublic else { throw AdminRefusal.publicClient }
        let now = transactions.environment.now()
        let (text, hash) = ClientSecret.draw(transactions.environment)
        let secret = ClientSecret(
            id: transactions.environment.identifier(of: ClientSecret.self).rawValue, created: now,
            expires: now + ClientSecret.lifetime)
        try await transactions.write { act in
            let secrets = ClientSecrets(act.connection)
            guard try secrets.all(of: client).count(where: { $0.expires > act.now }) < ClientSecret.maximum else {
                throw AdminRefusal.tooManySecrets
            }
            try secrets.add(secret, hash: hash, to: client)
            try act.record(.clientSecretAdded, of: client.tenant, subject: client.id.rawValue)
        }
        return (secret, text)
    }

    /// Removes a secret. Tokens obtained with it stay valid.
    ///
    /// - Throws: ``AdminRefusal``, ``StorageError``
    package func removeSecret(_ id: String, of client: Client) async throws {
        try await transactions.write { act in
            guard try ClientSecrets(act.connection).remove(id, of: client) else { throw AdminRefusal.noSecret }
            try act.record(.clientSecretRemoved, of: client.tenant, subject: client.id.rawValue)
        }
    }
}
