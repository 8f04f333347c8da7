// SPDX-License-Identifier: Apache-2.0

/// The header that a load balancer sends at the beginning of a connection, before the client's own bytes (PROXY
/// protocol, version 2; section 2.2 of HAProxy's specification). It names the client.
package struct ProxyHeader: Hashable, Sendable {
    /// The client; nil if the load balancer opened the connection for itself, such as for a health check.
    package let client: Client?
    /// The header's length in bytes. The client's own bytes follow.
    package let length: Int

    /// The address from which a client has connected to the load balancer.
    package struct Client: Hashable, Sendable {
        /// 4 bytes for IPv4, 16 bytes for IPv6.
        package let address: [UInt8]
        package let port: UInt16
    }

    /// Why bytes are not a header that this server accepts.
    package enum Refusal: Error {
        /// The bytes do not begin with the signature of version 2.
        case signature
        /// The version, the command, the kind of addresses or the transport is not one that this server expects.
        case kind
        /// The header is too short for its addresses, or longer than ``maximumLength``.
        case length
    }

    /// The longest header that is accepted. The specification requires 232 bytes, with additional fields.
    package static let maximumLength = 2048

    private static let signature: [UInt8] = [13, 10, 13, 10, 0, 13, 10, 0x51, 0x55, 0x49, 0x54, 10]
    /// The signature, the version with the command, the family with the transport, and the length of the rest.
    private static let fixedLength = 16

    /// Reads the header at the beginning of `bytes`. Additional fields (TLVs) are skipped.
    ///
    /// - Returns: nil if `bytes` may be the beginning of a header whose rest is missing.
    /// - Throws: ``Refusal`` as soon as the bytes cannot be the beginning of a header that this server accepts.
    package static func read(_ bytes: some Collection<UInt8>) throws(Refusal) -> ProxyHeader? {
        // The longest part that matters: the addresses and ports of IPv6.
        let head = Array(bytes.prefix(fixedLength + 36))
        guard head.prefix(signature.count).elementsEqual(signature.prefix(head.count)) else { throw .signature }
        guard head.count >= fixedLength else { return nil }
        let rest = Int(head[14]) << 8 | Int(head[15])
        let length = fixedLength + rest
        guard length <= maximumLength else { throw .length }
        let width: Int?
        switch (head[12], head[13]) {
        // LOCAL, of whatever family: its addresses have no meaning.
        case (0x20, _): width = nil
        // PROXY, TCP over IPv4 and over IPv6.
        case (0x21, 0x11): width = 4
        case (0x21, 0x21): width = 16
        default: throw .kind
        }
        guard let width else { return bytes.count < length ? nil : ProxyHeader(client: nil, length: length) }
        // Both addresses and both ports.
        guard rest >= 2 * width + 4 else { throw .length }
        guard bytes.count >= length else { return nil }
        let port = fixedLength + 2 * width
        return ProxyHeader(
            client: Client(
                address: Array(head[fixedLength..<fixedLength + width]),
                port: UInt16(head[port]) << 8 | UInt16(head[port + 1])),
            length: length)
    }
}
