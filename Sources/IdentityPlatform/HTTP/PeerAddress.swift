// SPDX-License-Identifier: Apache-2.0
internal import Glibc
package import NIOCore

/// The address for which requests are counted: an IPv4 address, or the /64 network of an IPv6 address, because one
/// requester usually controls the whole network.
package struct PeerAddress: Sendable, Hashable {
    let key: String

    /// - Parameter address: the address of the connection. All requests without an address, or from a Unix socket,
    ///   count as one peer.
    package init(_ address: SocketAddress?) {
        let text = address?.ipAddress ?? ""
        var binary = in6_addr()
        guard unsafe inet_pton(AF_INET6, text, &binary) == 1 else {
            key = text
            return
        }
        let bytes = unsafe withUnsafeBytes(of: &binary) { unsafe Array($0) }
        let isMapped = bytes.prefix(10).allSatisfy { $0 == 0 } && bytes[10] == 255 && bytes[11] == 255
        key = (isMapped ? bytes[12...] : bytes[..<8]).map(String.init).joined(separator: isMapped ? "." : ":")
    }
}
