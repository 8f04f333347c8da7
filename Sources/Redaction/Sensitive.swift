// SPDX-License-Identifier: Apache-2.0

/// Hides a value, such as a token, a user name or an email address: print, dump, interpolation and reflection show
/// `<redacted>` in its place.
///
/// Copies of a `String` inside are not overwritten; use ``SecretBytes`` for data that must be wiped.
package struct Sensitive<Value> {
    /// The value itself. The name makes every use easy to find.
    package let exposed: Value

    package init(_ value: Value) { exposed = value }
}

extension Sensitive: Sendable where Value: Sendable {}
extension Sensitive: Equatable where Value: Equatable {}
extension Sensitive: Hashable where Value: Hashable {}

extension Sensitive: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { redacted }
    package var debugDescription: String { redacted }
    package var customMirror: Mirror { Mirror(self, children: []) }
}

extension Sensitive: Decodable where Value: Decodable {
    package init(from decoder: any Decoder) throws {
        self.init(try decoder.singleValueContainer().decode(Value.self))
    }
}

extension Sensitive: Encodable where Value: Encodable {
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(exposed)
    }
}
