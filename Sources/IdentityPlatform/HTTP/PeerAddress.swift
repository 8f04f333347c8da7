// SPDX-License-Identifier: Apache-2.0
internal import Glibc
package import NIOCore

/// The address of a client. Two addresses are equal if their requests are counted together: equal IPv4 addresses, or
/// IPv6 addresses of one /64 network, because one requester usually controls the whole network.
package struct PeerAddress: Sendable, Hashable {
    let key: String
    /// The whole address, for the audit log; nil without an address.
    package let text: String?

    package static func == (left: Self, right: Self) -> Bool { left.key == right.key }

    package func hash(into hasher: inout Hasher) { hasher.combine(key) }

    /// - Parameter address: the address of the connection. All requests without an address, or from a Unix socket,
    ///   count as one peer.
    package init(_ address: SocketAddress?) {
        let text = address?.ipAddress ?? ""
        var binary = in6_addr()
        guard unsafe inet_pton(AF_INET6, text, &binary) == 1 else {
            key = text
            self.text = text.isEmpty ? nil : text
            return
        }
        let bytes = unsafe withUnsafeBytes(of: &binary) { unsafe Array($0) }
        let isMapped = bytes.prefix(10).allSatisfy { $0 == 0 } && bytes[10] == 255 && bytes[11] == 255
        // An IPv4 address in its IPv6 form is written as an IPv4 address.
        self.text = isMapped ? bytes[12...].map(String.init).joined(separator: ".") : text
        key = (isMapped ? bytes[12...] : bytes[..<8]).map(String.init).joined(separator: isMapped ? "." : ":")
    }
}
