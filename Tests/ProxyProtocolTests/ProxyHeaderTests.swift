// SPDX-License-Identifier: Apache-2.0
import ProxyProtocol
import Testing

@Suite struct ProxyHeaderTests {
    private static let signature: [UInt8] = [13, 10, 13, 10, 0, 13, 10, 0x51, 0x55, 0x49, 0x54, 10]
    private static let four: [UInt8] = [192, 0, 2, 7, 192, 0, 2, 1, 0x12, 0x34, 0x01, 0xbb]
    private static let sixteen =
        [0x20, 0x01, 0x0d, 0xb8] + [UInt8](repeating: 0, count: 11) + [7] + [UInt8](repeating: 1, count: 16)
        + [0xff, 0xff, 0x01, 0xbb]

    private static func header(
        _ command: UInt8 = 0x21, _ family: UInt8 = 0x11, _ rest: [UInt8] = four, count: Int? = nil
    ) -> [UInt8] {
        let count = count ?? rest.count
        return signature + [command, family, UInt8(count >> 8), UInt8(count & 255)] + rest
    }

    @Test(
        arguments: [
            (header(), Array(four[..<4]), 0x1234), (header(0x21, 0x21, sixteen), Array(sixteen[..<16]), 0xffff),
            // With fields that this server does not know.
            (header(0x21, 0x11, four + [0xea, 0, 2, 1, 2]), Array(four[..<4]), 0x1234),
        ] as [([UInt8], [UInt8], UInt16)])
    func `the client's address is read, also if the header arrives in pieces`(
        header: [UInt8], address: [UInt8], port: UInt16
    ) throws {
        let stream = header + [22, 3, 1]
        for count in 0..<header.count { #expect(try ProxyHeader.read(stream.prefix(count)) == nil) }
        for count in header.count...stream.count {
            let found = try #require(try ProxyHeader.read(stream.prefix(count)))
            #expect(found.client?.address == address && found.client?.port == port && found.length == header.count)
        }
    }

    @Test(arguments: [header(0x20, 0x00, []), header(0x20, 0x11), header(0x20, 0xff, [1, 2, 3])])
    func `a connection of the load balancer itself has no client`(header: [UInt8]) throws {
        #expect(try ProxyHeader.read(header.dropLast()) == nil)
        let found = try #require(try ProxyHeader.read(header))
        #expect(found.client == nil && found.length == header.count)
    }

    @Test(
        arguments: [
            ([22, 3, 1], .signature), (Array("PROXY TCP4 192.0.2.7 192.0.2.1 1 2\r\n".utf8), .signature),
            (signature.dropLast() + [11], .signature),
            // Another version, another command; no family, UDP, Unix sockets, unknown.
            (header(0x11), .kind), (header(0x22), .kind), (header(0x21, 0x00), .kind), (header(0x21, 0x12), .kind),
            (header(0x21, 0x31), .kind), (header(0x21, 0x41), .kind),
            // Too short for its addresses, too long.
            (header(0x21, 0x11, Array(four.dropLast())), .length), (header(0x21, 0x21, four), .length),
            (header(count: 2033), .length), (header(0x20, 0, [], count: 65535), .length),
        ] as [([UInt8], ProxyHeader.Refusal)])
    func `other bytes are refused`(bytes: [UInt8], refusal: ProxyHeader.Refusal) {
        #expect(throws: refusal) { try ProxyHeader.read(bytes) }
    }

    @Test func `bytes are refused before a header is complete`() {
        #expect(throws: ProxyHeader.Refusal.signature) { try ProxyHeader.read([13, 11]) }
        #expect(throws: ProxyHeader.Refusal.length) { try ProxyHeader.read(Self.header(count: 65535).prefix(16)) }
    }
}

@Suite struct AddressRangeTests {
    @Test(arguments: [
        ("192.0.2.10", "192.0.2.10", true), ("192.0.2.10", "192.0.2.11", false),
        ("192.0.2.10", "::ffff:192.0.2.10", true),
        ("10.0.0.0/8", "10.255.0.1", true), ("10.0.0.0/8", "11.0.0.1", false), ("10.128.0.0/9", "10.127.0.1", false),
        ("::ffff:192.0.2.10", "192.0.2.10", true), ("0.0.0.0/0", "198.51.100.1", true), ("0.0.0.0/0", "::1", false),
        ("2001:db8::/32", "2001:db8:1::1", true), ("2001:db8::/32", "2001:db9::1", false), ("::/0", "192.0.2.1", false),
        ("::1", "::1", true), ("127.0.0.1", "", false), ("127.0.0.1", "localhost", false),
    ])
    func `a range contains its addresses`(range: String, address: String, isInside: Bool) throws {
        #expect(try #require(AddressRange(range)).contains(address) == isInside)
    }

    @Test(arguments: [
        "", "localhost", "10.0.0.0/33", "10.0.0.1/8", "10.0.0.0/", "10.0.0.0/-1", "10.0.0.0/+8", "10.0.0/8", "::/129",
        "10.0.0.0/8/8", " 10.0.0.1", "10.0.0.1\u{0}",
    ])
    func `other texts are refused`(text: String) { #expect(AddressRange(text) == nil) }
}
