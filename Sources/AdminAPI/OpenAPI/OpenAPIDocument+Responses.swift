// SPDX-License-Identifier: Apache-2.0
internal import JSON

extension OpenAPIDocument {
    /// Returns the answers of an operation: its success, and each status of a refusal with the codes that it can have.
    mutating func responses(of operation: AdminOperation) -> JSONValue {
        var responses: [String: JSONValue] = [:]
        if operation.isServed(at: interface.kind) { responses[String(operation.status)] = success(of: operation) }
        for (status, codes) in operation.refusals(at: interface.kind) {
            responses[String(status)] = refusal(status, codes)
        }
        return .object(responses)
    }

    private mutating func success(of operation: AdminOperation) -> JSONValue {
        var fields: [Field] = interface.kind == .https ? [.requestID, .breakGlass] : [.breakGlass]
        if operation.isObject { fields.append(.entityTag) }
        if operation.isPaged { fields.append(.link) }
        if operation.method == .post { fields.append(.replayed) }
        switch operation.reply() {
        case .nothing: return Self.response("Done.", fields: fields)
        case .json(let schema): return Self.response("The answer.", fields: fields, Self.json(form(of: schema)))
        case .document:
            return Self.response("A JSON document.", fields: fields, Self.json(.object(Self.typed("object"))))
        case .export:
            return Self.response(
                "JSON lines, of which the last is the number of the others.", fields: fields,
                [ExportEnd.mediaType: .object([:])])
        }
    }

    /// Returns the answer to refused calls. Its schema lists the possible codes.
    private mutating func refusal(_ status: Int, _ codes: [String]) -> JSONValue {
        var fields: [Field] = interface.kind == .https ? [.requestID, .breakGlass] : [.breakGlass]
        switch status {
        case 401: fields.append(.challenge)
        case 429, 503: fields.append(.retryAfter)
        default: break
        }
        let code = JSONValue.object(["enum": .array(codes.map(JSONValue.string))])
        let narrowed = ["code", "error"].reduce(code) { .object(["properties": .object([$1: $0])]) }
        return Self.response(
            codes.map { "`\($0)`" }.joined(separator: ", "), fields: fields,
            Self.json(.object(["allOf": .array([form(of: Schema(of: AdminFailure.self)), narrowed])])))
    }

    private static func json(_ schema: JSONValue) -> [String: JSONValue] {
        ["application/json": .object(["schema": schema])]
    }

    private static func response(
        _ description: String, fields: [Field], _ content: [String: JSONValue] = [:]
    ) -> JSONValue {
        let headers = fields.map { field in
            (field.rawValue, JSONValue.object(["$ref": .string("#/components/headers/\(field.rawValue)")]))
        }
        var response: [String: JSONValue] = [
            "description": .string(description), "headers": .object(Dictionary(uniqueKeysWithValues: headers)),
        ]
        if !content.isEmpty { response["content"] = .object(content) }
        return .object(response)
    }

    /// A header field of answers.
    private enum Field: String, CaseIterable {
        case requestID = "Request-Id"
        case breakGlass = "Baton-Break-Glass-Until"
        case entityTag = "ETag"
        case link = "Link"
        case replayed = "Idempotency-Replayed"
        case challenge = "WWW-Authenticate"
        case retryAfter = "Retry-After"

        var meaning: String {
            switch self {
            case .requestID: "The id of the request in the server's log and in the audit log."
            case .breakGlass: "When the last present break-glass access ends, while there is one."
            case .entityTag: "The tag of the object in its present state, for `If-Match`."
            case .link: "The address of the next page, if there is one (RFC 8288)."
            case .replayed: "`true` if an earlier request with the same `Idempotency-Key` was carried out."
            case .challenge: "What the caller needs (RFC 6750, RFC 9470)."
            case .retryAfter: "After how many seconds to try again."
            }
        }

        /// Whether every answer that can have the field has it.
        var isRequired: Bool {
            switch self {
            case .requestID, .entityTag, .challenge, .retryAfter: true
            case .breakGlass, .link, .replayed: false
            }
        }

        var schema: [String: JSONValue] {
            switch self {
            case .breakGlass: OpenAPIDocument.typed("integer")
            case .retryAfter: OpenAPIDocument.typed("integer", ["minimum": .integer(1)])
            case .link: OpenAPIDocument.typed("string", ["pattern": .string("^<[^>]+>; rel=\"next\"$")])
            case .entityTag: OpenAPIDocument.typed("string", ["pattern": .string("^\"[A-Za-z0-9_=-]*\"$")])
            case .replayed: OpenAPIDocument.typed("string", ["enum": .array([.string("true")])])
            case .requestID, .challenge: OpenAPIDocument.typed("string")
            }
        }
    }

    /// The header fields of answers, by their names.
    static var headers: [String: JSONValue] {
        let fields = Field.allCases.map { field in
            let header: [String: JSONValue] = [
                "description": .string(field.meaning), "required": .bool(field.isRequired),
                "schema": .object(field.schema),
            ]
            return (field.rawValue, JSONValue.object(header))
        }
        return Dictionary(uniqueKeysWithValues: fields)
    }
}
