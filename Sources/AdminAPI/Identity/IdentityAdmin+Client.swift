// SPDX-License-Identifier: Apache-2.0

extension IdentityAdmin {
    /// A public client: an application that can keep no secret.
    package struct Client: Codable, Sendable, Equatable {
        package let id: String
        package let displayName: String
        package let redirectURIs: [String]
        /// Application ids of the resources it may have tokens for.
        package let resources: [String]
        /// The permissions of them that it is registered for by name; none stands for the ordinary ones.
        package let permissions: [String]

        package init(
            id: String, displayName: String, redirectURIs: [String], resources: [String], permissions: [String]
        ) {
            self.id = id
            self.displayName = displayName
            self.redirectURIs = redirectURIs
            self.resources = resources
            self.permissions = permissions
        }
    }

    /// A client to be registered; without an id it gets a fresh one, without resources it may have Graph, without
    /// permissions a resource's ordinary ones.
    package struct NewClient: Codable, Sendable {
        package var id: String?
        package var displayName: String
        package var redirectURIs: [String]
        package var resources: [String]?
        package var permissions: [String]?

        package init(
            id: String? = nil, displayName: String, redirectURIs: [String], resources: [String]? = nil,
            permissions: [String]? = nil
        ) {
            self.id = id
            self.displayName = displayName
            self.redirectURIs = redirectURIs
            self.resources = resources
            self.permissions = permissions
        }
    }
}
