// SPDX-License-Identifier: Apache-2.0
internal import JSON

extension OpenAPIDocument {
    /// Returns the JSON schema of a form. Objects are put among the components and referred to.
    mutating func form(of schema: Schema) -> JSONValue {
        switch schema {
        case .any: return anyValue()
        case .string: return .object(Self.typed("string"))
        case .boolean: return .object(Self.typed("boolean"))
        case .integer: return .object(Self.typed("integer", ["format": .string("int64")]))
        case .number: return .object(Self.typed("number"))
        case .list(let element): return .object(Self.typed("array", ["items": form(of: element)]))
        case .map(let value): return .object(Self.typed("object", ["additionalProperties": form(of: value)]))
        case .limited(let schema, let limits):
            return .object((form(of: schema).object ?? [:]).merging(limits.keywords) { $1 })
        case .either(let schemas):
            var forms: [JSONValue] = []
            for schema in schemas { forms.append(form(of: schema)) }
            return .object(["oneOf": .array(forms)])
        case .object(let name, let members):
            if schemas[name] == nil { schemas[name] = object(members, isReceived: received.contains(name)) }
            return Self.reference(to: name)
        }
    }

    private mutating func object(_ members: [Schema.Member], isReceived: Bool) -> JSONValue {
        var properties: [String: JSONValue] = [:]
        for member in members {
            let form = form(of: member.schema)
            properties[member.name] = isReceived && !member.isRequired ? Self.orNull(form) : form
        }
        let required = members.filter(\.isRequired).map { JSONValue.string($0.name) }
        var keywords = ["properties": JSONValue.object(properties)]
        if !required.isEmpty { keywords["required"] = .array(required) }
        if isReceived { keywords["additionalProperties"] = .bool(false) }
        return .object(Self.typed("object", keywords))
    }

    /// Returns the form of any JSON value but null.
    private mutating func anyValue() -> JSONValue {
        let reference = Self.reference(to: "Value")
        schemas["Value"] = .object([
            "type": .array(["boolean", "number", "string", "array", "object"].map(JSONValue.string)),
            "items": reference, "additionalProperties": reference,
        ])
        return reference
    }

    private static func orNull(_ form: JSONValue) -> JSONValue {
        guard var keywords = form.object, let type = keywords["type"] else {
            return .object(["anyOf": .array([form, .object(typed("null"))])])
        }
        keywords["type"] = .array([type, .string("null")])
        if let values = keywords["enum"]?.array { keywords["enum"] = .array(values + [.null]) }
        return .object(keywords)
    }

    static func typed(_ type: String, _ keywords: [String: JSONValue] = [:]) -> [String: JSONValue] {
        keywords.merging(["type": .string(type)]) { keyword, _ in keyword }
    }

    static func reference(to name: String) -> JSONValue { .object(["$ref": .string("#/components/schemas/\(name)")]) }
}

extension SchemaLimits {
    /// The limits as keywords of JSON Schema.
    var keywords: [String: JSONValue] {
        var keywords: [String: JSONValue] = [:]
        if let values { keywords["enum"] = .array(values.map(JSONValue.string)) }
        if let range { (keywords["minimum"], keywords["maximum"]) = Self.ends(range) }
        if let length { (keywords["minLength"], keywords["maxLength"]) = Self.ends(length) }
        if let count { (keywords["minItems"], keywords["maxItems"]) = Self.ends(count) }
        if let pattern { keywords["pattern"] = .string(pattern) }
        return keywords
    }

    private static func ends(_ range: ClosedRange<Int>) -> (JSONValue, JSONValue) {
        (.integer(range.lowerBound), .integer(range.upperBound))
    }
}

extension Schema {
    /// The names of the types that the form consists of.
    var typeNames: Set<String> {
        switch self {
        case .any, .string, .boolean, .integer, .number: []
        case .list(let schema), .map(let schema), .limited(let schema, _): schema.typeNames
        case .either(let schemas): schemas.reduce(into: []) { $0.formUnion($1.typeNames) }
        case .object(let name, let members): members.reduce(into: [name]) { $0.formUnion($1.schema.typeNames) }
        }
    }
}
