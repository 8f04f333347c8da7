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
        #expect(members.first { $0.name == "password" }?.schema == .string)
        #expect(
            Set(members.filter(\.isRequired).map(\.name)) == ["userPrincipalName", "displayName", "password"])
        #expect(Schema(of: [String: MDMAdmin.Value].self) == .map(.any))
    }

    @Test func `every operation is in the OpenAPI document, and every reference in it resolves`() throws {
        let document = OpenAPIDocument.of(Self.operations)
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
        for (name, schema) in try #require(root["components"]?.object?["schemas"]?.object) {
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
                #expect(operation.object?["responses"]?.object?["default"] != nil)
            }
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
