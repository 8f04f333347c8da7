// SPDX-License-Identifier: Apache-2.0
import MDMProtocol
import TestSupport
import Testing

@Suite struct PropertyListTests {
    static let sample: PropertyList = [
        "string": "a & b < c > \" ' é 😀\ttab\nline\rreturn ]]>", "empty": "", "negative": -42,
        "most": .integer(.max), "least": .integer(.min), "real": .real(0.1), "large": .real(1e300), "yes": true,
        "no": false,
        "date": .date(1_795_244_100), "old": .date(-62_135_596_800), "data": .data(Array(0...255)), "none": .data([]),
        "list": [1, "two", [.real(-3.5)], []], "nested": ["a": ["b": ["c": []]], "é": 1], "": "empty key",
    ]

    @Test func `a list is decoded as it was encoded, and encoded again to the same bytes`() throws {
        let xml = try Self.sample.xml()
        #expect(try PropertyList(xml: xml) == Self.sample)
        #expect(try PropertyList(xml: xml).xml() == xml)
    }

    /// Python reads Baton's XML and writes its own XML; both must mean the same.
    @Test func `Baton and Python's plistlib read each other's lists`() async throws {
        let program = """
            import plistlib, sys
            value = plistlib.loads(sys.stdin.buffer.read(), fmt=plistlib.FMT_XML)
            assert value["most"] == 2**63 - 1 and value["least"] == -2**63 and value["data"] == bytes(range(256))
            assert value["string"] == 'a & b < c > " \\' é 😀\\ttab\\nline\\rreturn ]]>', repr(value["string"])
            assert value["date"].isoformat() == "2026-11-21T06:55:00", value["date"]
            assert value["real"] == 0.1 and value["yes"] is True and value["list"][2] == [-3.5]
            value["string"] = value["string"].replace("\\r", "")
            sys.stdout.buffer.write(plistlib.dumps(value, sort_keys=False))
            """
        let theirs = try await tool("python3", ["-c", program], input: try Self.sample.xml())
        guard case .dictionary(var expected) = Self.sample else {
            Issue.record("the sample is no dictionary")
            return
        }
        expected["string"] = "a & b < c > \" ' é 😀\ttab\nlinereturn ]]>"
        #expect(try PropertyList(xml: theirs) == .dictionary(expected))
    }

    @Test(
        arguments: [
            ("bplist00\u{1}\u{2}", .binary),
            ("", .malformed),
            ("<plist>", .malformed),
            ("<plist/>", .unexpectedElement),
            ("<plist></plist>", .unexpectedElement),
            ("<plist><string>a</string><string>b</string></plist>", .unexpectedElement),
            ("<plist><string>a</string></plist>x", .malformed),
            ("<dict/>", .unexpectedElement),
            ("<plist version=\"2.0\"><dict/></plist>", .unexpectedElement),
            ("<plist><dict a=\"b\"/></plist>", .unexpectedElement),
            ("<plist><dict><key>a</key><true/><key>a</key><false/></dict></plist>", .duplicateKey),
            ("<plist><dict><key>a</key></dict></plist>", .unexpectedElement),
            ("<plist><dict><true/></dict></plist>", .unexpectedElement),
            ("<plist><array>text</array></plist>", .malformed),
            ("<plist><integer>0x10</integer></plist>", .invalidValue),
            ("<plist><integer>9223372036854775808</integer></plist>", .invalidValue),
            ("<plist><integer/></plist>", .invalidValue),
            ("<plist><real>nan</real></plist>", .invalidValue),
            ("<plist><real>1e999</real></plist>", .invalidValue),
            ("<plist><date>2026-02-29T00:00:00Z</date></plist>", .invalidValue),
            ("<plist><date>2026-1-1</date></plist>", .invalidValue),
            ("<plist><data>A</data></plist>", .invalidValue),
            ("<plist><true>x</true></plist>", .invalidValue),
            ("<plist><null/></plist>", .unexpectedElement),
            ("<plist><string>a<true/></string></plist>", .unexpectedElement),
            ("<plist><string>&nbsp;</string></plist>", .forbiddenDeclaration),
            ("<plist><string>&#0;</string></plist>", .malformed),
            ("<plist><string>&#xD800;</string></plist>", .malformed),
            ("<plist><string>&#+65;</string></plist>", .malformed),
            ("<plist><string>\u{1}</string></plist>", .malformed),
            ("<?xml version=\"1.0\" encoding=\"UTF-16\"?><plist><true/></plist>", .malformed),
            ("<?xml-stylesheet href=\"x\"?><plist><true/></plist>", .forbiddenDeclaration),
            ("<plist><?php x ?><true/></plist>", .forbiddenDeclaration),
            ("<!DOCTYPE plist [<!ENTITY a \"b\">]><plist><string>&a;</string></plist>", .forbiddenDeclaration),
            ("<!DOCTYPE plist SYSTEM \"file:///etc/passwd\"><plist><true/></plist>", .forbiddenDeclaration),
            (
                "<!DOCTYPE plist PUBLIC \"-//Apple//DTD PLIST 1.0//EN\" \"http://evil.example/x.dtd\"><plist><true/></plist>",
                .forbiddenDeclaration
            ),
        ] as [(String, PropertyListError.Code)])
    func `malformed documents are refused with a reason`(text: String, code: PropertyListError.Code) {
        let error = #expect(throws: PropertyListError.self) { try PropertyList(xml: Array(text.utf8)) }
        #expect(error?.code == code)
    }

    @Test(
        arguments: [
            (
                "\u{FEFF}<?xml version='1.0' encoding='utf-8'?>\n<!-- c -->\n<plist version=\"1.0\"><true></true></plist>",
                true
            ),
            ("<plist><string><![CDATA[a<b&c]]>&#x41;&#66;<!-- x -->&lt;\r\n\r</string></plist>", "a<b&cAB<\n\n"),
            ("<plist><data>\n\tAQ\n\tI=\n</data></plist>", .data([1, 2])),
        ] as [(String, PropertyList)])
    func `all notations that XML allows have the same meaning`(text: String, value: PropertyList) throws {
        #expect(try PropertyList(xml: Array(text.utf8)) == value)
    }

    @Test func `invalid UTF-8 is refused`() {
        let bytes = Array("<plist><string>".utf8) + [0xC3, 0x28] + Array("</string></plist>".utf8)
        let error = #expect(throws: PropertyListError.self) { try PropertyList(xml: bytes) }
        #expect(error?.code == .malformed)
    }

    @Test func `size, depth, number of objects and length of text are bounded`() {
        let limits = PropertyList.Limits(bytes: 2_000, depth: 4, objects: 20, text: 100)
        func document(_ inner: String) -> [UInt8] { Array("<plist>\(inner)</plist>".utf8) }
        func nested(_ depth: Int) -> [UInt8] {
            document(String(repeating: "<array>", count: depth) + String(repeating: "</array>", count: depth))
        }
        let accepted = [
            nested(4), document("<array>" + String(repeating: "<true/>", count: 19) + "</array>"),
            document("<string>" + String(repeating: "x", count: 100) + "</string>"),
        ]
        let refused = [
            nested(5), document("<array>" + String(repeating: "<true/>", count: 20) + "</array>"),
            document("<string>" + String(repeating: "x", count: 101) + "</string>"),
            document("<!--" + String(repeating: "x", count: 2_000) + "--><true/>"),
        ]
        for bytes in accepted { #expect(throws: Never.self) { try PropertyList(xml: bytes, limits: limits) } }
        for bytes in refused {
            let error = #expect(throws: PropertyListError.self) { try PropertyList(xml: bytes, limits: limits) }
            #expect(error?.code == .limitExceeded)
        }
        #expect(throws: PropertyListError.self) { try PropertyList(xml: nested(100_000)) }
    }

    @Test func `characters that XML cannot represent are not written`() {
        for value in [PropertyList.string("\u{0}"), .real(.infinity), .date(.max), ["\u{1}": 1]] {
            let error = #expect(throws: PropertyListError.self) { try value.xml() }
            #expect(error?.code == .unrepresentable)
        }
    }

    /// A mutated document gives a value or an error; a value that was read survives writing and reading again.
    @Test(arguments: [1, 2, 3, 4] as [UInt64])
    func `mutated documents never trap`(seed: UInt64) throws {
        var random = SplitMix(seed: seed)
        let original = try Self.sample.xml()
        let splices = [
            "<array>", "</dict>", "<![CDATA[", "]]>", "&#", "<!--", "--", "<!DOCTYPE", "<key>", "\r", "\u{FEFF}",
        ]
        var read = 0
        for _ in 0..<2_500 {
            var bytes = original
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                let index = Int.random(in: 0..<bytes.count, using: &random)
                switch Int.random(in: 0..<4, using: &random) {
                case 0: bytes[index] = UInt8.random(in: 0...255, using: &random)
                case 1: bytes.remove(at: index)
                case 2:
                    bytes.insert(
                        contentsOf: Array(splices[Int.random(in: 0..<splices.count, using: &random)].utf8), at: index)
                default: bytes.removeLast(min(bytes.count - 1, Int.random(in: 0..<40, using: &random)))
                }
            }
            do throws(PropertyListError) {
                let value = try PropertyList(xml: bytes)
                read += 1
                let again = try PropertyList(xml: value.xml())
                #expect(again == value, "seed \(seed)")
            } catch { continue }
        }
        #expect(read > 0)
    }
}
