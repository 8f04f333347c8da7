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
    package struct ClientSecret: Codable, Sendable {
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
