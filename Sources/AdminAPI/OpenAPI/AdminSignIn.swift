// SPDX-License-Identifier: Apache-2.0
internal import JSON

/// Where a client gets an access token for the administration over HTTPS.
package struct AdminSignIn: Sendable {
    /// The identifier of the resource, and the address of the HTTPS listener.
    let resource: String
    let authorizationEndpoint: String
    let tokenEndpoint: String

    package init(resource: String, authorizationEndpoint: String, tokenEndpoint: String) {
        self.resource = resource
        self.authorizationEndpoint = authorizationEndpoint
        self.tokenEndpoint = tokenEndpoint
    }

    /// Returns the scope with which a person's client asks for a permission.
    func scope(_ permission: String) -> String { "\(resource)/\(permission)" }
}

extension OpenAPIDocument {
    /// Returns the ways to get a token: a person signs in, or an application proves its identity with a key.
    static func schemes(_ signIn: AdminSignIn) -> [String: JSONValue] {
        let permissions = AdminOperation.permissions
        let person: [String: JSONValue] = [
            "authorizationUrl": .string(signIn.authorizationEndpoint), "tokenUrl": .string(signIn.tokenEndpoint),
            "scopes": scopes(permissions.map(signIn.scope)),
        ]
        return [
            "person": .object([
                "type": .string("oauth2"),
                "description": .string("A person, who also needs one of the roles of the operation."),
                "flows": .object(["authorizationCode": .object(person)]),
            ]),
            "application": .object([
                "type": .string("http"), "scheme": .string("bearer"), "bearerFormat": .string("JWT"),
                "description": .string(
                    "The token of an application that acts for itself (client_credentials with private_key_jwt), for the "
                        + "scope `\(signIn.scope(".default"))`. The permissions are in its claim `roles`."),
            ]),
        ]
    }

    private static func scopes(_ names: [String]) -> JSONValue {
        .object(Dictionary(uniqueKeysWithValues: names.map { ($0, .string("A permission for administration.")) }))
    }

    /// Returns the alternatives of which a call needs one; none for an operation that everybody may call.
    func security(of operation: AdminOperation) -> JSONValue {
        guard case .https(let signIn) = interface, operation.access != .anyone else { return .array([]) }
        let permissions = operation.sufficientPermissions
        guard !permissions.isEmpty else {
            return .array([.object(["person": .array([])]), .object(["application": .array([])])])
        }
        return .array(
            permissions.flatMap { permission -> [JSONValue] in
                [
                    .object(["person": .array([.string(signIn.scope(permission))])]),
                    .object(["application": .array([.string(permission)])]),
                ]
            })
    }
}
