// SPDX-License-Identifier: Apache-2.0
package import JSON

/// The form of a JSON value, derived from a type that decodes it.
package indirect enum Schema: Sendable, Equatable {
    /// Any JSON value.
    case any
    case string
    case boolean
    case integer
    case number
    case list(Schema)
    /// An object with any members of one form.
    case map(Schema)
    /// An object with known members, and the name of its type.
    case object(name: String, members: [Member])
    /// One of several forms.
    case either([Schema])
    /// A form of which not every value is possible.
    case limited(Schema, SchemaLimits)

    /// A member of an object.
    package struct Member: Sendable, Equatable {
        package let name: String
        package let schema: Schema
        /// Whether the member is never missing.
        package let isRequired: Bool

        package init(_ name: String, _ schema: Schema, isRequired: Bool = true) {
            (self.name, self.schema, self.isRequired) = (name, schema, isRequired)
        }
    }

    /// The form of the JSON that a type decodes.
    package init<Value: Decodable>(of type: Value.Type) {
        if let known = type as? any SchemaProviding.Type {
            self = known.schema
        } else {
            self = SchemaRecording.schema(of: type)
        }
    }
}

extension Schema {
    /// Returns the path of a member that the form does not have, such as `profile.colour`; nil if there is none. A value
    /// of another form has no unknown members.
    package func unknownMember(in value: JSONValue) -> String? {
        switch (self, value) {
        case (.limited(let schema, _), _): schema.unknownMember(in: value)
        case (.list(let element), .array(let values)):
            values.lazy.compactMap { element.unknownMember(in: $0) }.first
        case (.map(let element), .object(let members)):
            members.sorted { $0.key < $1.key }.lazy.compactMap { element.unknownMember(in: $0.value) }.first
        case (.object(_, let known), .object(let members)):
            members.sorted { $0.key < $1.key }.lazy.compactMap { name, value in
                guard let member = known.first(where: { $0.name == name }) else { return name }
                return member.schema.unknownMember(in: value).map { "\(name).\($0)" }
            }.first
        case (.either(let schemas), _):
            schemas.contains { $0.unknownMember(in: value) == nil } ? nil : schemas.first?.unknownMember(in: value)
        default: nil
        }
    }
}

/// A type whose JSON form is known without decoding it.
package protocol SchemaProviding {
    static var schema: Schema { get }
}

extension String: SchemaProviding {
    package static var schema: Schema { .string }
}

extension Bool: SchemaProviding {
    package static var schema: Schema { .boolean }
}

extension Int: SchemaProviding {
    package static var schema: Schema { .integer }
}

extension Int64: SchemaProviding {
    package static var schema: Schema { .integer }
}

extension Double: SchemaProviding {
    package static var schema: Schema { .number }
}

extension Array: SchemaProviding where Element: Decodable {
    package static var schema: Schema { .list(Schema(of: Element.self)) }
}

extension Dictionary: SchemaProviding where Key == String, Value: Decodable {
    package static var schema: Schema { .map(Schema(of: Value.self)) }
}

extension MDMAdmin.Value: SchemaProviding {
    package static var schema: Schema { .any }
}

extension MDMAdmin.NewProfile: SchemaProviding {
    package static var schema: Schema {
        let sharedDevice = Schema.object(
            name: "MDMAdmin.SharedDevice", members: [Schema.Member("urls", .limited(.list(.string), .count(1...1000)))])
        return .either([
            .object(name: "MDMAdmin.ProfileFile", members: [Schema.Member("file", .string)]),
            .object(name: "MDMAdmin.SharedDeviceProfile", members: [Schema.Member("sharedDevice", sharedDevice)]),
        ])
    }
}
