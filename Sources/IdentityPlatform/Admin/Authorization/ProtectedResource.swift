// SPDX-License-Identifier: Apache-2.0
internal import JSON

/// The metadata of the administration as a protected resource (RFC 9728), with which a client finds out where to sign in.
package struct ProtectedResource: Sendable {
    /// The identifier of the resource, and the address of its listener.
    package let resource: String
    private let authorizationServer: String
    private let permissions: [String]

    /// Returns nil if the server has no name for its administration.
    init?(_ resource: Resource, _ names: IdentityConfiguration.Names) {
        guard let name = names.administration else { return nil }
        self.resource = "https://\(name):\(names.administrationPort)"
        authorizationServer = "\(names.origin(of: names.login))/organizations/v2.0"
        permissions = resource.permissions
    }

    /// The path at which the metadata is served.
    package static let path = "/.well-known/oauth-protected-resource"

    /// The address at which the metadata is served.
    package var address: String { resource + Self.path }

    /// The metadata as JSON.
    package var json: [UInt8] {
        JSONWriter.write(
            .object([
                "resource": .string(resource), "authorization_servers": .array([.string(authorizationServer)]),
                "bearer_methods_supported": .array([.string("header")]),
                "scopes_supported": .array(permissions.map { .string("\(resource)/\($0)") }),
            ]))
    }
}
