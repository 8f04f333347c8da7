// SPDX-License-Identifier: Apache-2.0

/// Writes one JSON object by hand, members in the order of the calls: tokens and replies on hot paths.
package struct MembersWriter {
    private var body: [UInt8] = [UInt8(ascii: "{")]

    package init() {}

    /// The object's UTF-8 bytes.
    package var bytes: [UInt8] { body + [UInt8(ascii: "}")] }

    package mutating func set(_ name: some WireName, _ text: String) {
        begin(name.rawValue)
        Self.append(text, to: &body)
    }

    /// Writes the member only where there is a value.
    package mutating func set(_ name: some WireName, _ text: String?) {
        if let text { set(name, text) }
    }

    /// Writes the member in any case, as `null` where there is no value.
    package mutating func setOrNull(_ name: some WireName, _ text: String?) {
        if let text { return set(name, text) }
        begin(name.rawValue)
        body.append(contentsOf: "null".utf8)
    }

    package mutating func set(_ name: some WireName, _ integer: Int) {
        begin(name.rawValue)
        body.append(contentsOf: String(integer).utf8)
    }

    package mutating func set(_ name: some WireName, _ truth: Bool) {
        begin(name.rawValue)
        body.append(contentsOf: (truth ? "true" : "false").utf8)
    }

    package mutating func set(_ name: some WireName, _ texts: [String]) {
        begin(name.rawValue)
        body.append(UInt8(ascii: "["))
        for (index, text) in texts.enumerated() {
            if index > 0 { body.append(UInt8(ascii: ",")) }
            Self.append(text, to: &body)
        }
        body.append(UInt8(ascii: "]"))
    }

    package mutating func set(_ name: some WireName, _ integers: [Int]) {
        begin(name.rawValue)
        body.append(contentsOf: "[\(integers.map(String.init).joined(separator: ","))]".utf8)
    }

    /// Writes a nested object.
    package mutating func set(_ name: some WireName, _ object: MembersWriter) {
        begin(name.rawValue)
        body.append(contentsOf: object.bytes)
    }

    private mutating func begin(_ name: String) {
        if body.count > 1 { body.append(UInt8(ascii: ",")) }
        Self.append(name, to: &body)
        body.append(UInt8(ascii: ":"))
    }

    private static func append(_ text: String, to body: inout [UInt8]) {
        body.append(UInt8(ascii: "\""))
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"):
                body.append(UInt8(ascii: "\\"))
                body.append(byte)
            case 0..<0x20:
                let digits = Array("0123456789abcdef".utf8)
                body.append(contentsOf: "\\u00".utf8)
                body.append(digits[Int(byte >> 4)])
                body.append(digits[Int(byte & 15)])
            default: body.append(byte)
            }
        }
        body.append(UInt8(ascii: "\""))
    }
}
