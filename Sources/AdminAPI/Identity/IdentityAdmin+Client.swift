// SPDX-License-Identifier: Apache-2.0
package import Redaction

extension IdentityAdmin {
    /// The registration of an application.
    package struct Client: Codable, Sendable, Equatable {
        package let id: String
        package let displayName: String
        package let redirectURIs: [String]
        /// The allowed redirect URIs after a sign-out.
        package let postLogoutRedirectURIs: [String]
        /// Application ids of the resources that the client may get tokens for.
        package let resources: [String]
        /// The permissions of these resources for which the client is explicitly registered. Empty means the default
        /// permissions.
        package let permissions: [String]
        /// Whether this is a public client, which cannot keep a secret.
        package let isPublic: Bool
        /// Whether the client can get tokens.
        package let accountEnabled: Bool
        /// The signature algorithm of the client's tokens: `RS256` or `ES256`.
        package let tokenAlgorithm: String
        /// Warnings, as sentences, about settings of the registration that are dangerous or have no effect.
        package let warnings: [String]

        package init(
            id: String, displayName: String, redirectURIs: [String], postLogoutRedirectURIs: [String],
            resources: [String], permissions: [String], isPublic: Bool, accountEnabled: Bool, tokenAlgorithm: String,
            warnings: [String]
        ) {
            self.id = id
            self.displayName = displayName
            self.redirectURIs = redirectURIs
            self.postLogoutRedirectURIs = postLogoutRedirectURIs
            self.resources = resources
            self.permissions = permissions
            self.isPublic = isPublic
            self.accountEnabled = accountEnabled
            self.tokenAlgorithm = tokenAlgorithm
            self.warnings = warnings
        }
    }

    /// A client to register. Defaults: a new id, Graph as the only resource, a resource's default permissions, a public
    /// client, RS256.
    package struct NewClient: Codable, Sendable {
        package var id: String?
        package var displayName: String
        package var redirectURIs: [String]
        /// Defaults to the redirect URIs.
        package var postLogoutRedirectURIs: [String]?
        package var resources: [String]?
        package var permissions: [String]?
        package var isConfidential: Bool?
        package var tokenAlgorithm: String?

        package init(
            id: String? = nil, displayName: String, redirectURIs: [String],
            postLogoutRedirectURIs: [String]? = nil, resources: [String]? = nil, permissions: [String]? = nil,
            isConfidential: Bool? = nil, tokenAlgorithm: String? = nil
        ) {
            self.id = id
            self.displayName = displayName
            self.redirectURIs = redirectURIs
            self.postLogoutRedirectURIs = postLogoutRedirectURIs
            self.resources = resources
            self.permissions = permissions
            self.isConfidential = isConfidential
            self.tokenAlgorithm = tokenAlgorithm
        }
    }

    /// A change to a client.
    package struct ClientChange: Codable, Sendable {
        package var accountEnabled: Bool

        package init(accountEnabled: Bool) { self.accountEnabled = accountEnabled }
    }

    /// A secret of a confidential client.
    package struct ClientSecret: Codable, Sendable, SecretReply {
        package let id: String
        /// Milliseconds since 1970.
        package let expiresAt: Int64
        /// The secret itself; only the response to its creation contains it.
        package let secret: Sensitive<String>?

        package init(id: String, expiresAt: Int64, secret: Sensitive<String>? = nil) {
            self.id = id
            self.expiresAt = expiresAt
            self.secret = secret
        }
    }
}

/// The operations on applications.
extension IdentityAdmin {
    package static let listClients = Endpoint<Empty, [Client]>(
        "listClients", .get("/identity/tenants/{tenant}/clients"), query: QueryParameter.pagingByName,
        by: .roles(.globalAdministrator, .globalReader, permission: "Application.Read.All"),
        effect: .reading,
        summary: "Lists the registered applications.")

    package static let getClient = Endpoint<Empty, Client>(
        "getClient", .get("/identity/tenants/{tenant}/clients/{client}"),
        by: .roles(.globalAdministrator, .globalReader, permission: "Application.Read.All"),
        effect: .reading,
        summary: "Returns a registered application.")

    package static let addClient = Endpoint<NewClient, Client>(
        "addClient", .post("/identity/tenants/{tenant}/clients"), status: 201,
        by: .roles(.globalAdministrator, permission: "Application.ReadWrite.All"),
        effect: .danger("client.add"), givesPower: true,
        errors: [
            "identity.display.name", "identity.client.id", "identity.client.redirect", "identity.client.redirects",
            "identity.client.resource", "identity.client.permission", "identity.client.algorithm",
            "identity.name.taken",
        ],
        summary: "Registers an application.",
        details: "Defaults: a new id, the redirect URIs as `postLogoutRedirectURIs`, Graph as resource, User.Read "
            + "as permission, RS256 as algorithm. The answer contains warnings about its addresses.")

    package static let addCompatibilityClients = Endpoint<Empty, [Client]>(
        "addCompatibilityClients", .post("/identity/tenants/{tenant}/compatibility-clients"),
        by: .roles(.globalAdministrator, permission: "Application.ReadWrite.All"),
        effect: .danger("client.add"), givesPower: true,
        summary: "Adds the missing registrations of third-party applications and returns them.",
        details: "Azure CLI, Azure PowerShell, Office, Windows Sign In, the Authenticator app, Company Portal and "
            + "Company Portal for Linux, with the ids that their makers use. Adds missing clients of the server itself, "
            + "too.")

    package static let changeClient = Endpoint<ClientChange, Empty>(
        "changeClient", .patch("/identity/tenants/{tenant}/clients/{client}"),
        by: .roles(.globalAdministrator, permission: "Application.ReadWrite.All"),
        effect: .danger("client.disable", "client.enable"), givesPower: true,
        summary: "Enables or disables an application.",
        details: "A disabled application gets no tokens, and its existing tokens are refused until it is enabled "
            + "again.")

    package static let removeClient = Endpoint<Empty, Empty>(
        "removeClient", .delete("/identity/tenants/{tenant}/clients/{client}"),
        by: .roles(.globalAdministrator, permission: "Application.ReadWrite.All"),
        effect: .danger("client.remove"), givesPower: true,
        errors: ["identity.client.own"],
        summary: "Removes an application with its codes and refresh tokens.")

    package static let listClientSecrets = Endpoint<Empty, [ClientSecret]>(
        "listClientSecrets", .get("/identity/tenants/{tenant}/clients/{client}/secrets"),
        by: .roles(.globalAdministrator, .globalReader, permission: "Application.Read.All"),
        effect: .reading,
        summary: "Lists the secrets of a confidential client, without the secrets themselves.")

    package static let addClientSecret = Endpoint<Empty, ClientSecret>(
        "addClientSecret", .post("/identity/tenants/{tenant}/clients/{client}/secrets"), status: 201,
        by: .roles(.globalAdministrator, permission: "Application.ReadWrite.All"),
        effect: .change("client.secret.add"), givesPower: true,
        errors: ["identity.client.public", "identity.client.secrets"],
        summary: "Creates a secret; no other answer contains it.",
        details: "A client has at most two secrets that have not expired.")

    package static let removeClientSecret = Endpoint<Empty, Empty>(
        "removeClientSecret", .delete("/identity/tenants/{tenant}/clients/{client}/secrets/{secret}"),
        by: .roles(.globalAdministrator, permission: "Application.ReadWrite.All"),
        effect: .change("client.secret.remove"), givesPower: true,
        summary: "Removes a secret.")
}
