// SPDX-License-Identifier: Apache-2.0
import AdminAPI
import JSON
import Testing

/// The description of the operations in the format of OpenAPI, and the forms that it names.
@Suite struct OpenAPITests {
    private static let operations = AdminOperation.all

    @Test func `the form of a type names its members and those that may be missing`() {
        #expect(
            Schema(of: IdentityAdmin.Offline.self)
                == .object(
                    name: "IdentityAdmin.Offline",
                    members: [
                        .init("rules", Schema(of: IdentityAdmin.OfflineRules.self), isRequired: false)
                    ]))
        guard case .object(_, let members) = Schema(of: IdentityAdmin.NewUser.self) else {
            Issue.record("not an object")
            return
        }
        if case .limited(let form, _) = members.first(where: { $0.name == "jobTitle" })?.schema {
            #expect(form == .string)
        } else {
            Issue.record("jobTitle has no limits")
        }
        #expect(
            Set(members.filter(\.isRequired).map(\.name)) == ["userPrincipalName", "displayName", "password"])
        #expect(Schema(of: [String: MDMAdmin.Value].self) == .map(.any))
    }

    private static let signIn = AdminSignIn(
        resource: "https://admin.test:8445", authorizationEndpoint: "https://login.test/authorize",
        tokenEndpoint: "https://login.test/token")
    private static let socket = OpenAPIDocument.of(operations, at: .socket)
    private static let https = OpenAPIDocument.of(operations, at: .https(signIn))

    /// Returns the members of an operation in a document.
    private static func item(_ operation: AdminOperation, in document: JSONValue) throws -> [String: JSONValue] {
        let path = document.object?["paths"]?.object?[operation.path]
        return try #require(path?.object?[operation.method.rawValue.lowercased()]?.object)
    }

    /// Returns the codes of an answer's refusals.
    private static func codes(_ status: Int, of operation: AdminOperation, in document: JSONValue) throws -> [String] {
        let response = try item(operation, in: document)["responses"]?.object?[String(status)]?.object
        let schema = response?["content"]?.object?["application/json"]?.object?["schema"]?.object
        let narrowed = schema?["allOf"]?.array?.last?.object?["properties"]?.object?["error"]?.object
        return narrowed?["properties"]?.object?["code"]?.object?["enum"]?.array?.compactMap(\.string) ?? []
    }

    @Test(arguments: ["socket", "https"])
    func `every operation is in the OpenAPI document, and every reference in it resolves`(interface: String) throws {
        let document = interface == "https" ? Self.https : Self.socket
        let root = try #require(document.object)
        let paths = try #require(root["paths"]?.object)
        let ids = paths.values.flatMap { $0.object?.values.compactMap { $0.object?["operationId"]?.string } ?? [] }
        #expect(Set(ids) == Set(Self.operations.map(\.id)) && ids.count == Self.operations.count)
        let references = Self.references(in: document)
        #expect(references.count > 20)
        for reference in Set(references) {
            let found = reference.split(separator: "/").dropFirst().reduce(document) { value, name in
                value.object?[String(name)] ?? .null
            }
            #expect(found != .null, "\(reference)")
        }
        // A member that an object requires is one of its members.
        let components = try #require(root["components"]?.object)
        for (name, schema) in try #require(components["schemas"]?.object) where name != "Value" {
            let properties = try #require(schema.object?["properties"]?.object, "\(name)")
            let required = schema.object?["required"]?.array?.compactMap(\.string) ?? []
            #expect(!properties.isEmpty && required.allSatisfy { properties[$0] != nil }, "\(name)")
        }
        // Every placeholder of a path is declared as a parameter (OpenAPI 3.1 section 4.8.9).
        for (path, item) in paths {
            for operation in try #require(item.object).values {
                let parameters = operation.object?["parameters"]?.array?.compactMap(\.object) ?? []
                let places = parameters.filter { $0["in"] == .string("path") }.compactMap { $0["name"]?.string }
                #expect(Set(places) == Set(path.matches(of: /\{(\w+)\}/).map { String($0.output.1) }), "\(path)")
            }
        }
    }

    @Test func `every declared refusal of an operation is among its answers, and none is left to default`() throws {
        for operation in Self.operations {
            for code in operation.errors {
                let status = RefusalStatus.of(code)
                #expect(
                    try Self.codes(status, of: operation, in: Self.socket).contains(code), "\(operation.id): \(code)")
            }
            let responses = try Self.item(operation, in: Self.https)["responses"]?.object ?? [:]
            #expect(responses["default"] == nil, "\(operation.id)")
            #expect(
                (responses[String(operation.status)] != nil) == (operation.access != .serverOnly), "\(operation.id)")
        }
    }

    @Test func `the refusals of the HTTPS listener are where they can occur, and not in the document of the socket`()
        throws
    {
        for operation in Self.operations {
            #expect(try Self.codes(401, of: operation, in: Self.socket).isEmpty, "\(operation.id)")
            #expect(try Self.codes(403, of: operation, in: Self.socket).isEmpty, "\(operation.id)")
            let unauthorized = try Self.codes(401, of: operation, in: Self.https)
            let isRemote = operation.permission != nil
            let canNeedSignIn = unauthorized.contains("admin.stepUp")
            #expect(canNeedSignIn || !(isRemote && operation.isDangerous), "\(operation.id)")
            #expect(!canNeedSignIn || (isRemote && operation.isChange), "\(operation.id)")
            let forbidden = try Self.codes(403, of: operation, in: Self.https)
            #expect(forbidden.contains("admin.role") == isRemote, "\(operation.id)")
            #expect(forbidden.contains("admin.socketOnly") == (operation.access == .serverOnly), "\(operation.id)")
        }
    }

    @Test func `an operation needs a token with its permission, unless everybody may call it`() throws {
        let security = try Self.item(IdentityAdmin.listUsers.operation, in: Self.https)["security"]
        let ways = ["User.Read.All", "User.ReadWrite.All"].flatMap { permission in
            [
                JSONValue.object(["person": .array([.string("https://admin.test:8445/\(permission)")])]),
                .object(["application": .array([.string(permission)])]),
            ]
        }
        #expect(security == .array(ways))
        for operation in Self.operations {
            let ways = try Self.item(operation, in: Self.https)["security"]?.array
            #expect(ways?.isEmpty == (operation.access == .anyone), "\(operation.id)")
            #expect(try Self.item(operation, in: Self.socket)["security"] == nil, "\(operation.id)")
        }
    }

    @Test func `conditions and idempotency keys are parameters of the operations that take them, and of no others`()
        throws
    {
        for operation in Self.operations {
            let parameters = try Self.item(operation, in: Self.socket)["parameters"]?.array ?? []
            let names = Set(parameters.compactMap { $0.object?["name"]?.string })
            #expect(names.contains("If-Match") == operation.isConditional, "\(operation.id)")
            #expect(names.contains("Idempotency-Key") == (operation.method == .post), "\(operation.id)")
        }
        let conditional = Set(Self.operations.filter(\.isConditional).map(\.id))
        #expect(
            conditional == [
                "setBranding", "changeUser", "removeUser", "removeGroup", "changeClient", "removeClient",
                "setOfflineSignIn", "changeDevice", "removeDevice", "unenrollDevice",
            ])
    }

    @Test func `bodies are closed and may have null for a member that can be missing; answers are open`() throws {
        let schemas = Self.https.object?["components"]?.object?["schemas"]?.object ?? [:]
        let change = try #require(schemas["IdentityAdmin.UserChange"]?.object)
        #expect(change["additionalProperties"] == .bool(false))
        let title = change["properties"]?.object?["jobTitle"]?.object
        #expect(title?["type"] == .array([.string("string"), .string("null")]))
        #expect(title?["maxLength"] == .integer(128))
        let algorithm = schemas["IdentityAdmin.NewClient"]?.object?["properties"]?.object?["tokenAlgorithm"]
        #expect(algorithm?.object?["enum"] == .array([.string("RS256"), .string("ES256"), .null]))
        #expect(schemas["IdentityAdmin.User"]?.object?["additionalProperties"] == nil)
        #expect(
            schemas["IdentityAdmin.User"]?.object?["properties"]?.object?["jobTitle"]
                == .object(["type": .string("string")]))
    }

    /// A limit is not lost when its member is renamed.
    @Test func `every limit is the limit of a member`() throws {
        var known: [String: Set<String>] = [:]
        for operation in Self.operations {
            if let body = operation.body() { Self.note(body, in: &known) }
            if case .json(let reply) = operation.reply() { Self.note(reply, in: &known) }
        }
        let sources = try CodableSources.files(in: "Sources/AdminAPI").map(\.text).joined()
        let tables = sources.matches(
            of: /extension (\S+): LimitedMembers \{\n.*?= \[(.*?)\n(?:    \]|\})/.dotMatchesNewlines())
        #expect(tables.count > 15)
        for table in tables {
            let members = table.output.2.matches(of: #/"(\w+)": /#).map { String($0.output.1) }
            let name = String(table.output.1)
            #expect(!members.isEmpty && known[name]?.isSuperset(of: members) == true, "\(name)")
        }
    }

    /// Notes the members of the objects in a form by the names of their types.
    private static func note(_ schema: Schema, in known: inout [String: Set<String>]) {
        switch schema {
        case .object(let name, let members):
            known[name] = Set(members.map(\.name))
            for member in members { note(member.schema, in: &known) }
        case .list(let inner), .map(let inner), .limited(let inner, _): note(inner, in: &known)
        case .either(let forms): for form in forms { note(form, in: &known) }
        default: break
        }
    }

    private static func references(in value: JSONValue) -> [String] {
        switch value {
        case .array(let elements): elements.flatMap(references)
        case .object(let members):
            [members["$ref"]?.string].compactMap(\.self) + members.values.flatMap(references)
        default: []
        }
    }
}
