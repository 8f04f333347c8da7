// SPDX-License-Identifier: Apache-2.0
internal import Encodings

/// Why a form or a query could not be parsed. The error contains no value of a parameter.
package enum FormFailure: Error, Equatable {
    /// There are more bytes or fields than the limits allow.
    case overLimit
    /// A percent sign is not followed by two hexadecimal digits, or the bytes are not UTF-8.
    case malformed
    /// A parameter occurs more than once, which RFC 6749 section 3.1 forbids.
    case repeated
}

/// The parameters of a form body or a query string (`application/x-www-form-urlencoded`, RFC 6749 appendix B).
///
/// A parameter without a value counts as absent (RFC 6749 section 3.1). The fields may contain secrets: never log them.
package struct FormParameters: Sendable, Equatable {
    private var fields: [(name: String, value: String)] = []

    package init() {}

    /// Parses a body or a query of at most `byteLimit` bytes and `fieldLimit` fields, whatever its Content-Type.
    ///
    /// - Throws: ``FormFailure``.
    package init(
        parsing body: some Collection<UInt8>, byteLimit: Int = 64 * 1024, fieldLimit: Int = 64
    ) throws(FormFailure) {
        guard body.count <= byteLimit else { throw .overLimit }
        let body = Array(body)
        var names: Set<String> = []
        for field in body.split(separator: UInt8(ascii: "&")) {
            let parts = field.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            let name = try Self.text(parts[0])
            let value = parts.count > 1 ? try Self.text(parts[1]) : ""
            guard names.insert(name).inserted else { throw .repeated }
            guard names.count <= fieldLimit else { throw .overLimit }
            if !value.isEmpty { fields.append((name, value)) }
        }
    }

    /// The value of a parameter; nil if it is absent or empty.
    package subscript(name: some WireName) -> String? { self[name.rawValue] }

    /// The value of a parameter for which there is no ``WireName``; nil if it is absent or empty.
    package subscript(name: String) -> String? { fields.first { $0.name == name }?.value }

    /// All names, in the order of the form.
    package var names: [String] { fields.map(\.name) }

    /// Adds a parameter; does nothing if `value` is nil.
    package mutating func append(_ name: some WireName, _ value: String?) {
        guard let value else { return }
        fields.append((name.rawValue, value))
    }

    /// Sets a parameter and removes its earlier values.
    package mutating func replace(_ name: some WireName, _ value: String) {
        fields.removeAll { $0.name == name.rawValue }
        append(name, value)
    }

    /// Removes a parameter.
    package mutating func remove(_ name: some WireName) { fields.removeAll { $0.name == name.rawValue } }

    /// The form as text; all characters except the unreserved ones of RFC 3986 are percent-encoded.
    package var encoded: String {
        var text: [UInt8] = []
        for (index, field) in fields.enumerated() {
            if index > 0 { text.append(UInt8(ascii: "&")) }
            Self.append(field.name, to: &text)
            text.append(UInt8(ascii: "="))
            Self.append(field.value, to: &text)
        }
        return String(decoding: text, as: UTF8.self)
    }

    package static func == (left: FormParameters, right: FormParameters) -> Bool {
        left.fields.elementsEqual(right.fields) { $0 == $1 }
    }

    private static func text(_ field: ArraySlice<UInt8>) throws(FormFailure) -> String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(field.count)
        var rest = field.makeIterator()
        while let byte = rest.next() {
            switch byte {
            case UInt8(ascii: "+"): bytes.append(UInt8(ascii: " "))
            case UInt8(ascii: "%"):
                guard let high = rest.next().flatMap(Hexadecimal.value),
                    let low = rest.next().flatMap(Hexadecimal.value)
                else { throw .malformed }
                bytes.append(high << 4 | low)
            default: bytes.append(byte)
            }
        }
        guard let text = String(validating: bytes, as: UTF8.self) else { throw .malformed }
        return text
    }

    private static func append(_ text: String, to output: inout [UInt8]) {
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"):
                output.append(byte)
            default:
                output.append(UInt8(ascii: "%"))
                output += Hexadecimal.digits([byte], .upper)
            }
        }
    }
}
