// SPDX-License-Identifier: Apache-2.0
import Encodings
import Testing

@Suite struct HexadecimalTests {
    @Test func `bytes become two digits each, in lower or upper case`() {
        #expect(Hexadecimal.text([0x00, 0x0a, 0x9f, 0xff]) == "000a9fff")
        #expect(Hexadecimal.text([0x00, 0x0a, 0x9f, 0xff], .upper) == "000A9FFF")
        #expect(Hexadecimal.text([]).isEmpty)
        #expect(Hexadecimal.text(0x0102_0304_0506_070f) == "010203040506070f")
    }

    @Test func `each byte is read back from both kinds of letters`() {
        let all = Array(UInt8.min...UInt8.max)
        #expect(Hexadecimal.bytes(Hexadecimal.text(all)) == all)
        #expect(Hexadecimal.bytes(Hexadecimal.text(all, .upper)) == all)
        #expect(Hexadecimal.bytes("aBcD") == [0xab, 0xcd])
    }

    @Test(arguments: ["0", "123", "0g", "g0", "0x12", " 12", "1２", "+1"])
    func `any other text is refused`(text: String) {
        #expect(Hexadecimal.bytes(text) == nil)
    }

    @Test func `only the digits have a value, and each kind of letters is told apart`() {
        let characters = Array(UInt8.min...UInt8.max)
        let digits = characters.filter { Hexadecimal.value($0) != nil }
        #expect(digits == Array("0123456789ABCDEFabcdef".utf8))
        #expect(characters.filter { Hexadecimal.isDigit($0, .lower) } == Array("0123456789abcdef".utf8))
        #expect(characters.filter { Hexadecimal.isDigit($0, .upper) } == Array("0123456789ABCDEF".utf8))
    }
}
