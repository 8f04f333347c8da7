// SPDX-License-Identifier: Apache-2.0
package import Redaction

extension IdentityAdmin {
    /// The registration of an application.
    package struct Client: Codable, Sendable, Equatable {
        package let id: String
        package let displayName: String
        package let redirectURIs: [String]
        /// Where it may be led back to after a sign-out.
        package let postLogoutRedirectURIs: [String]
        /// Application ids of the resources it may have tokens for.
        package let resources: [String]
        /// The permissions of them that it is registered for by name; none stands for the ordinary ones.
        package let permissions: [String]
        /// Whether it can keep no secret.
        package let isPublic: Bool
        /// Whether it gets anything.
        package let accountEnabled: Bool
        /// What its tokens are signed with, `RS256` or `ES256`.
        package let tokenAlgorithm: String
        /// What is dangerous or of no use in the registration, in sentences.
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

    /// A client to be registered; without an id it gets a fresh one, without resources it may have Graph, without
    /// permissions a resource's ordinary ones; it is public and has RS256 unless it says otherwise.
    package struct NewClient: Codable, Sendable {
        package var id: String?
        package var displayName: String
        package var redirectURIs: [String]
        /// Its redirect URIs where it is left out.
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

    /// What is to change of a client.
    package struct ClientChange: Codable, Sendable {
        package var accountEnabled: Bool

        package init(accountEnabled: Bool) { self.accountEnabled = accountEnabled }
    }

    /// A secret of a confidential client.
    package struct ClientSecret: Codable, Sendable {
        package let id: String
        /// Milliseconds since 1970.
        package let expiresAt: Int64
        /// The secret itself, in the answer that makes it and never again.
        package let secret: Sensitive<String>?

        package init(id: String, expiresAt: Int64, secret: Sensitive<String>? = nil) {
            self.id = id
            self.expiresAt = expiresAt
            self.secret = secret
        }
    }
}
