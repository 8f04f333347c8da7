// SPDX-License-Identifier: Apache-2.0
internal import JSON

extension JSONValue {
    /// The value as Foundation's JSON objects, which apps expect from Microsoft's library.
    var foundation: Any {
        switch self {
        case .null: NSNull()
        case .bool(let truth): NSNumber(value: truth)
        case .integer(let integer): NSNumber(value: integer)
        case .number(let number): NSNumber(value: number)
        case .string(let text): text
        case .array(let elements): elements.map(\.foundation)
        case .object(let members): members.mapValues(\.foundation)
        }
    }
}
