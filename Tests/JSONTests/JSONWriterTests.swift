// SPDX-License-Identifier: Apache-2.0
import JSON
import Testing

@Suite struct JSONWriterTests {
    @Test func `values are written with sorted keys and without blanks`() {
        let value = JSONValue.object([
            "b": .array([.null, .bool(true), .bool(false), .integer(.min), .number(0.1), .number(1e300)]),
            "a": .object([:]), "": .array([]),
        ])
        #expect(JSONWriter.text(value) == #"{"":[],"a":{},"b":[null,true,false,-9223372036854775808,0.1,1e+300]}"#)
    }

    @Test func `only the characters that must be escaped are escaped`() {
        let all = String(String.UnicodeScalarView((0..<0x80).compactMap(Unicode.Scalar.init))) + "é\u{2028}😀"
        let text = JSONWriter.text(.string(all))
        let controls = (0..<0x20).map { "\\u00" + ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        #expect(
            text == "\"" + controls + all.dropFirst(0x20).replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
                + "\"")
    }

    @Test func `a special character is escaped and read again at every position of a text`() throws {
        let limits = JSONLimits(bytes: 1024)
        for length in 0...20 {
            for place in 0...length {
                for mark in ["", "\"", "\\", "\u{1f}", "\u{0}", "\u{7f}", "é", "😀"] {
                    let text =
                        String(repeating: "~", count: place) + mark + String(repeating: " ", count: length - place)
                    #expect(try JSONReader.read(JSONWriter.write(.string(text)), limits: limits) == .string(text))
                }
                let control = Array("\"\(String(repeating: "x", count: place))\u{1f}\"".utf8)
                #expect(throws: JSONFailure(.malformed, at: place + 1)) {
                    try JSONReader.read(control, limits: limits)
                }
            }
        }
    }

    @Test(arguments: [Double.nan, .infinity, -.infinity])
    func `a value that JSON cannot represent is null`(number: Double) {
        #expect(JSONWriter.text(.number(number)) == "null")
    }

    @Test func `a text that is written piece by piece has its commas and colons`() {
        var inner = JSONWriter()
        inner.beginList()
        inner.append(1)
        inner.append("x")
        inner.endList()
        var writer = JSONWriter()
        writer.beginObject()
        writer.append(name: "b")
        writer.append(true)
        writer.append(name: "a")
        writer.beginObject()
        writer.append(name: "c")
        writer.appendNull()
        writer.endObject()
        writer.append(name: "d")
        writer.append(inner)
        writer.append(name: "e")
        writer.append(.array([.integer(1), .number(0.5)]))
        writer.endObject()
        #expect(String(decoding: writer.bytes, as: UTF8.self) == #"{"b":true,"a":{"c":null},"d":[1,"x"],"e":[1,0.5]}"#)
    }
}
