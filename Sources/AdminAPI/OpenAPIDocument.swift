// SPDX-License-Identifier: Apache-2.0
package import JSON

/// The description of the administration's operations in the format of OpenAPI 3.1.
package struct OpenAPIDocument {
    private let operations: [AdminOperation]
    private var schemas: [String: JSONValue] = [:]

    /// Returns the document that describes the operations.
    package static func of(_ operations: [AdminOperation]) -> JSONValue {
        var document = OpenAPIDocument(operations: operations)
        return document.value()
    }

    private init(operations: [AdminOperation]) { self.operations = operations }

    private mutating func value() -> JSONValue {
        var paths: [String: [String: JSONValue]] = [:]
        for operation in operations {
            paths[operation.path, default: [:]][operation.method.rawValue.lowercased()] = item(operation)
        }
        let failure = reference(to: Schema(of: AdminFailure.self))
        let refused = Self.content(failure, description: "A refusal or a failure.")
        return .object([
            "openapi": .string("3.1.0"),
            "info": .object(["title": .string("Administration of a Baton server"), "version": .string("1")]),
            "paths": .object(paths.mapValues(JSONValue.object)),
            "components": .object(["schemas": .object(schemas), "responses": .object(["Refused": refused])]),
        ])
    }

    private mutating func item(_ operation: AdminOperation) -> JSONValue {
        var item: [String: JSONValue] = [
            "operationId": .string(operation.id), "summary": .string(operation.summary),
            "tags": .array([.string(operation.engine)]),
            "responses": .object([
                String(operation.status): answer(operation.reply()),
                "default": .object(["$ref": .string("#/components/responses/Refused")]),
            ]),
            "x-baton-errors": .array(operation.errors.map(JSONValue.string)),
        ]
        if let details = operation.details { item["description"] = .string(details) }
        let parameters = operation.places.map(Self.parameter) + operation.query.map(Self.parameter)
        if !parameters.isEmpty { item["parameters"] = .array(parameters) }
        if let body = operation.body() {
            item["requestBody"] = .object([
                "required": .bool(true),
                "content": .object(["application/json": .object(["schema": reference(to: body)])]),
            ])
        }
        if !operation.auditActions.isEmpty {
            item["x-baton-audit"] = .array(operation.auditActions.map(JSONValue.string))
        }
        if operation.isDangerous { item["x-baton-dangerous"] = .bool(true) }
        return .object(item)
    }

    private mutating func answer(_ reply: AdminOperation.Reply) -> JSONValue {
        switch reply {
        case .nothing: .object(["description": .string("Done.")])
        case .json(let schema): Self.content(reference(to: schema), description: "The answer.")
        case .document: Self.content(.object([:]), description: "A JSON document.")
        case .export:
            .object([
                "description": .string("JSON lines, of which the last is the number of the others."),
                "content": .object([ExportEnd.mediaType: .object([:])]),
            ])
        }
    }

    private static func content(_ schema: JSONValue, description: String) -> JSONValue {
        .object([
            "description": .string(description),
            "content": .object(["application/json": .object(["schema": schema])]),
        ])
    }

    private static func parameter(_ place: AdminOperation.Place) -> JSONValue {
        .object([
            "name": .string(place.name), "in": .string("path"), "required": .bool(true),
            "description": .string(place.meaning), "schema": typed("string"),
        ])
    }

    private static func parameter(_ parameter: QueryParameter) -> JSONValue {
        .object([
            "name": .string(parameter.name), "in": .string("query"), "required": .bool(parameter.isRequired),
            "description": .string(parameter.meaning), "schema": typed(parameter.kind.rawValue),
        ])
    }

    private static func typed(_ type: String, _ more: [String: JSONValue] = [:]) -> JSONValue {
        .object(more.merging(["type": .string(type)]) { more, _ in more })
    }

    /// Returns the JSON schema of a form. Objects are put among the components and referred to.
    private mutating func reference(to schema: Schema) -> JSONValue {
        switch schema {
        case .any: return .object([:])
        case .string: return Self.typed("string")
        case .boolean: return Self.typed("boolean")
        case .integer: return Self.typed("integer")
        case .number: return Self.typed("number")
        case .list(let element): return Self.typed("array", ["items": reference(to: element)])
        case .map(let value): return Self.typed("object", ["additionalProperties": reference(to: value)])
        case .either(let schemas):
            var references: [JSONValue] = []
            for schema in schemas { references.append(reference(to: schema)) }
            return .object(["oneOf": .array(references)])
        case .object(let name, let members):
            if schemas[name] == nil { schemas[name] = object(members) }
            return .object(["$ref": .string("#/components/schemas/\(name)")])
        }
    }

    private mutating func object(_ members: [Schema.Member]) -> JSONValue {
        var properties: [String: JSONValue] = [:]
        for member in members { properties[member.name] = reference(to: member.schema) }
        let required = members.filter(\.isRequired).map { JSONValue.string($0.name) }
        var form = ["properties": JSONValue.object(properties)]
        if !required.isEmpty { form["required"] = .array(required) }
        return Self.typed("object", form)
    }
}
