// SPDX-License-Identifier: Apache-2.0
import JSON
import Testing

@Suite struct JSONReaderTests {
    private static let limits = JSONLimits(bytes: 4096, depth: 4, values: 32, stringBytes: 1024)

    private func read(_ bytes: some Sequence<UInt8>) throws(JSONFailure) -> JSONValue {
        try JSONReader.read(Array(bytes), limits: Self.limits)
    }

    @Test(arguments: [
        ("0", JSONValue.integer(0)), ("-0", .integer(0)), ("-1", .integer(-1)),
        ("9223372036854775807", .integer(.max)), ("-9223372036854775808", .integer(.min)),
        ("9223372036854775808", .number(0x1p63)), ("-9223372036854775809", .number(-0x1p63)),
        ("1000000000000000000000", .number(1e21)),
        ("1.0", .number(1)), ("-0.0", .number(-0.0)), ("1e3", .number(1000)), ("1E+3", .number(1000)),
        ("1e-3", .number(0.001)), ("0.1", .number(0.1)), ("0e0", .number(0)),
        ("1.7976931348623157e308", .number(.greatestFiniteMagnitude)), ("5e-324", .number(.leastNonzeroMagnitude)),
        ("1e-400", .number(0)),
    ])
    func `numbers of RFC 8259 section 6 are read exactly`(text: String, value: JSONValue) throws {
        #expect(try read(text.utf8) == value)
        #expect(try read("[\(text) ]".utf8) == .array([value]))
    }

    @Test(arguments: [
        ("", 0), ("-", 1), ("+1", 0), ("01", 0), ("-01", 0), ("00", 0), (".5", 0), ("1.", 2), ("1.e3", 2), ("1e", 2),
        ("1e+", 3), ("0x10", 1), ("1 2", 2), ("1_000", 1), ("1,5", 1), ("--1", 1), ("1.5.5", 3), ("NaN", 0),
        ("Infinity", 0), ("-Infinity", 1), ("1a", 1), ("²", 0),
    ])
    func `an invalid number is refused at the wrong character`(text: String, offset: Int) {
        #expect(throws: JSONFailure(.malformed, at: offset)) { try read(text.utf8) }
    }

    @Test(arguments: ["1e309", "-1e309", "1e99999999999", "[0,1e400]"])
    func `a number that a Double cannot represent is refused`(text: String) {
        #expect { try read(text.utf8) } throws: { ($0 as? JSONFailure)?.code == .numberTooLarge }
    }

    @Test(arguments: [
        (#""""#, ""), (#""a""#, "a"), (#""\"\\\/\b\f\n\r\t""#, "\"\\/\u{8}\u{c}\n\r\t"), (#""\u0000""#, "\0"),
        (#""\u00e9\u00E9é""#, "ééé"), (#""\uD83D\uDE00😀""#, "😀😀"),
        (#""\uffff\ud7ff\ue000""#, "\u{ffff}\u{d7ff}\u{e000}"),
        (#""\udbff\udfff""#, "\u{10ffff}"), (#""\u2028 \/ \u007f""#, "\u{2028} / \u{7f}"), ("\"\u{7f}\"", "\u{7f}"),
        (#""a\\\"b\\""#, #"a\"b\"#), (#""\u005c\u0022""#, #"\""#), ("\"e\u{301}\"", "e\u{301}"),
    ])
    func `strings of RFC 8259 section 7 are read scalar by scalar`(text: String, value: String) throws {
        guard case .string(let string) = try read(text.utf8) else { throw Unexpected() }
        #expect(Array(string.unicodeScalars) == Array(value.unicodeScalars))
    }

    @Test(arguments: [
        #"""#, #""a"#, #""a\""#, #""\"#, #""\x""#, #""\a""#, #""\'""#, #""\u""#, #""\u12""#, #""\u123g""#,
        #""\u 123""#, #""\U0041""#, #""\uD83D""#, #""\uD83Dx""#, #""\uD83D\n""#, #""\uD83D\u0041""#,
        #""\uD83D\uD83D""#, #""\uDE00""#, #""\uDE00\uD83D""#, #""\uD83D\uDE0""#, "\"\u{0}\"", "\"\n\"", "\"\t\"",
        "\"\u{1f}\"", "\"\\\n\"", "'a'", "a", "\"\"\"", #""\u００４１""#,
    ])
    func `an invalid string is refused`(text: String) {
        #expect { try read(text.utf8) } throws: { ($0 as? JSONFailure)?.code == .malformed }
    }

    @Test(
        arguments: [
            [0x80], [0xff], [0xc0, 0xaf], [0xc1, 0xbf], [0xe0, 0x80, 0xaf], [0xf0, 0x80, 0x80, 0xaf], [0xc3],
            [0xe2, 0x82], [0xed, 0xa0, 0x80], [0xed, 0xbf, 0xbf], [0xf4, 0x90, 0x80, 0x80],
            [0xf8, 0x88, 0x80, 0x80, 0x80],
            [0x5c, 0x6e, 0xc3], [0xc3, 0x5c, 0x6e],
        ] as [[UInt8]])
    func `text that is not UTF-8 is refused, overlong forms and surrogates too`(bytes: [UInt8]) {
        #expect(throws: JSONFailure(.notUTF8, at: 1)) { try read([0x22] + bytes + [0x22]) }
        #expect(throws: JSONFailure(.notUTF8, at: 2)) { try read([0x7b, 0x22] + bytes + Array(#"":1}"#.utf8)) }
    }

    @Test(arguments: [
        ("{}", JSONValue.object([:])), ("[]", .array([])), (" \t\n\r[ \t\n\r] \t\n\r", .array([])),
        (#"{"":0}"#, .object(["": .integer(0)])),
        (#"{ "a" : [ true , false , null ] }"#, .object(["a": .array([.bool(true), .bool(false), .null])])),
        ("[[[[]]]]", .array([.array([.array([.array([])])])])), ("true", .bool(true)), ("null", .null),
        (#"{"a":{"a":1},"b":{"a":2}}"#, .object(["a": .object(["a": .integer(1)]), "b": .object(["a": .integer(2)])])),
    ])
    func `structure is read with blanks wherever blanks are allowed`(text: String, value: JSONValue) throws {
        #expect(try read(text.utf8) == value)
    }

    @Test(arguments: [
        ("{", 1), ("[", 1), ("}", 0), ("]", 0), ("[1", 2), ("[1,", 3), ("[1,]", 3), ("[,1]", 1), ("[1 1]", 3),
        ("[1}", 2), (#"{"a"}"#, 4), (#"{"a":}"#, 5), (#"{"a":1,}"#, 7), (#"{,"a":1}"#, 1), (#"{"a" 1}"#, 5),
        (#"{"a":1"b":2}"#, 6), ("{a:1}", 1), ("{1:1}", 1), (#"{"a":1]"#, 6), ("[]]", 2), ("{}{}", 2), ("[1]x", 3),
        ("[1]\0", 3), ("tru", 3), ("truE", 3), ("True", 0), ("nul", 3), ("nulll", 4), ("[1\u{a0}]", 2), ("\u{b}1", 0),
        ("// a\n1", 0), ("[1/**/]", 2), ("\u{feff}1", 0),
    ])
    func `invalid JSON is refused at the wrong character`(text: String, offset: Int) {
        #expect(throws: JSONFailure(.malformed, at: offset)) { try read(text.utf8) }
    }

    @Test(arguments: [
        (#"{"a":1,"a":1}"#, 7), (#"{"a":1,"\u0061":1}"#, 7), (#"{"é":1,"e\u0301":1}"#, 8),
        (#"[{"x":{"":1, "":2}}]"#, 13),
    ])
    func `a duplicate key is refused, however it is written`(text: String, offset: Int) {
        #expect(throws: JSONFailure(.duplicateKey, at: offset)) { try read(text.utf8) }
    }

    struct Unexpected: Error {}
}
