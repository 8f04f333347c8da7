// SPDX-License-Identifier: Apache-2.0
package import JSON

/// The description of the administration's operations in the format of OpenAPI 3.1, as one of the two interfaces serves them.
///
/// Both documents contain every operation. Over HTTPS, the only answers of an operation on the whole server are refusals.
package struct OpenAPIDocument {
    let operations: [AdminOperation]
    let interface: Interface
    /// The names of the types that bodies consist of. The server refuses unknown members of these, and accepts null for
    /// members that may be missing.
    let received: Set<String>
    /// The forms of the types, by their names.
    var schemas: [String: JSONValue] = [:]

    /// The interface whose answers a document describes.
    package enum Interface: Sendable {
        case socket
        case https(AdminSignIn)

        var kind: AdminInterface {
            switch self {
            case .socket: .socket
            case .https: .https
            }
        }
    }

    /// Returns the document that describes the operations.
    package static func of(_ operations: [AdminOperation], at interface: Interface) -> JSONValue {
        let received = operations.reduce(into: Set<String>()) { $0.formUnion($1.body()?.typeNames ?? []) }
        var document = OpenAPIDocument(operations: operations, interface: interface, received: received)
        return document.value()
    }

    private mutating func value() -> JSONValue {
        var paths: [String: [String: JSONValue]] = [:]
        for operation in operations {
            paths[operation.path, default: [:]][operation.method.rawValue.lowercased()] = item(operation)
        }
        var components: [String: JSONValue] = ["headers": .object(Self.headers)]
        var document: [String: JSONValue] = [
            "openapi": .string("3.1.0"), "info": .object(info), "servers": .array([.object(server)]),
            "paths": .object(paths.mapValues(JSONValue.object)),
        ]
        if case .https(let signIn) = interface { components["securitySchemes"] = .object(Self.schemes(signIn)) }
        components["schemas"] = .object(schemas)
        document["components"] = .object(components)
        return .object(document)
    }

    private var info: [String: JSONValue] {
        [
            "title": .string("Administration of a Baton server"), "version": .string("1"),
            "description": .string(
                "Points in time are milliseconds since 1970-01-01T00:00:00Z. `x-baton-roles` are the directory roles of "
                    + "which a person needs one, `x-baton-audit` the actions in the audit log. A call of an operation with "
                    + "`x-baton-dangerous` over HTTPS needs a sign-in, or an application's token, of the last five minutes. "
                    + "Operations with `x-baton-interface: socket` are served only on the server's machine."),
        ]
    }

    private var server: [String: JSONValue] {
        switch interface {
        case .socket:
            [
                "url": .string("http://server"),
                "description": .string("The Unix socket admin.sock; the host name means nothing."),
            ]
        case .https(let signIn): ["url": .string(signIn.resource)]
        }
    }

    private mutating func item(_ operation: AdminOperation) -> JSONValue {
        var item: [String: JSONValue] = [
            "operationId": .string(operation.id), "summary": .string(operation.summary),
            "tags": .array([.string(operation.engine)]), "responses": responses(of: operation),
        ]
        if let details = operation.details { item["description"] = .string(details) }
        let parameters = parameters(of: operation)
        if !parameters.isEmpty { item["parameters"] = .array(parameters) }
        if let body = operation.body() {
            item["requestBody"] = .object([
                "required": .bool(true),
                "content": .object(["application/json": .object(["schema": form(of: body)])]),
            ])
        }
        if case .https = interface { item["security"] = security(of: operation) }
        switch operation.access {
        case .anyone: break
        case .serverOnly: item["x-baton-interface"] = .string("socket")
        case .directory(let roles, _): item["x-baton-roles"] = .array(roles.map { .string($0.rawValue) })
        }
        if !operation.auditActions.isEmpty {
            item["x-baton-audit"] = .array(operation.auditActions.map(JSONValue.string))
        }
        if operation.isDangerous { item["x-baton-dangerous"] = .bool(true) }
        return .object(item)
    }
}
