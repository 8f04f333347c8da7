// SPDX-License-Identifier: Apache-2.0
internal import Glibc

/// An IP address, or a network of addresses such as `192.0.2.0/24` or `2001:db8::/32`.
package struct AddressRange: Hashable, Sendable {
    /// 4 bytes for IPv4, 16 bytes for IPv6. The bits after the prefix are 0.
    private let network: [UInt8]
    private let prefix: Int

    /// Parses an address or a network; returns nil if the text is neither, or if a bit after the prefix is set.
    package init?(_ text: String) {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let address = parts.first.flatMap({ Self.bytes(of: String($0)) }) else { return nil }
        var prefix = address.count * 8
        if parts.count == 2 {
            guard parts[1].utf8.allSatisfy({ (0x30...0x39).contains($0) }), let given = Int(parts[1]), given <= prefix
            else { return nil }
            prefix = given
        }
        (network, self.prefix) = (address, prefix)
        guard network == masked(address) else { return nil }
    }

    /// Whether the range contains an address of 4 or 16 bytes. An IPv4 address in IPv6 notation (`::ffff:192.0.2.1`)
    /// counts as the IPv4 address.
    package func contains(_ address: [UInt8]) -> Bool {
        let address = Self.plain(address)
        return address.count == network.count && masked(address) == network
    }

    /// Whether the range contains the address with this text.
    package func contains(_ text: String) -> Bool { Self.bytes(of: text).map { contains($0) } ?? false }

    private func masked(_ address: [UInt8]) -> [UInt8] {
        address.enumerated().map { index, byte in
            let bits = min(max(prefix - index * 8, 0), 8)
            return byte & UInt8(truncatingIfNeeded: 0xff00 >> bits)
        }
    }

    private static func plain(_ address: [UInt8]) -> [UInt8] {
        let mapping: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255, 255]
        return address.count == 16 && address.starts(with: mapping) ? Array(address[12...]) : address
    }

    private static func bytes(of text: String) -> [UInt8]? {
        // `inet_pton` would stop at the zero byte.
        guard !text.utf8.contains(0) else { return nil }
        var (four, sixteen) = (in_addr(), in6_addr())
        if unsafe inet_pton(AF_INET, text, &four) == 1 { return unsafe withUnsafeBytes(of: &four) { unsafe Array($0) } }
        guard unsafe inet_pton(AF_INET6, text, &sixteen) == 1 else { return nil }
        return plain(unsafe withUnsafeBytes(of: &sixteen) { unsafe Array($0) })
    }
}
