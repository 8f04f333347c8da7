// SPDX-License-Identifier: Apache-2.0
internal import JSON

extension OpenAPIDocument {
    /// Returns the parameters of an operation in the path, the query and the header.
    func parameters(of operation: AdminOperation) -> [JSONValue] {
        operation.places.map(Self.parameter) + operation.query.map(Self.parameter) + conditions(of: operation)
    }

    private static func parameter(_ place: AdminOperation.Place) -> JSONValue {
        var parameter: [String: JSONValue] = [
            "name": .string(place.name), "in": .string("path"), "required": .bool(true),
            "description": .string(place.meaning), "schema": .object(typed("string", place.limits.keywords)),
        ]
        if place.name == "tenant" { parameter["example"] = .string("-") }
        return .object(parameter)
    }

    private static func parameter(_ parameter: QueryParameter) -> JSONValue {
        var schema = typed(parameter.kind.rawValue, parameter.limits?.keywords ?? [:])
        if let initial = parameter.initial { schema["default"] = .integer(initial) }
        return .object([
            "name": .string(parameter.name), "in": .string("query"), "required": .bool(parameter.isRequired),
            "description": .string(parameter.meaning), "schema": .object(schema),
        ])
    }

    /// Returns the header fields on which it can depend whether a call is carried out.
    private func conditions(of operation: AdminOperation) -> [JSONValue] {
        guard operation.isServed(at: interface.kind) else { return [] }
        var fields: [JSONValue] = []
        if operation.isConditional {
            fields.append(
                Self.field(
                    "If-Match", limits: .pattern(#"^(\*|"[A-Za-z0-9_=-]+"(, *"[A-Za-z0-9_=-]+"){0,9})$"#),
                    "The `ETag` of the answer with which the caller read the object. The change is refused if the object "
                        + "is in another state."))
        }
        if operation.method == .post {
            fields.append(
                Self.field(
                    "Idempotency-Key", limits: .length(1...64, "^[!-~]+$"),
                    "A name that the caller gives to this request. A repeated request with the same name is answered "
                        + "without being carried out again. The name is kept at least one hour and at most one day."))
        }
        return fields
    }

    private static func field(_ name: String, limits: SchemaLimits, _ meaning: String) -> JSONValue {
        .object([
            "name": .string(name), "in": .string("header"), "required": .bool(false), "description": .string(meaning),
            "schema": .object(typed("string", limits.keywords)),
        ])
    }
}
