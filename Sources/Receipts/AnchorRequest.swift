// SPDX-License-Identifier: Apache-2.0
package import OAuth

/// A device's request for the countersignature of its newest receipt. It is signed with the device key and contains the
/// chain's head, signed with the receipt key.
package struct AnchorRequest: DeviceCall {
    package let binding: CallBinding
    package let head: SignedLine
    /// The newest countersignature of this chain that the device has; nil if it has none. If the server was restored to
    /// an earlier state, this countersignature shows what the server has lost.
    package let newest: SignedLine?

    package init(_ binding: CallBinding, head: SignedLine, newest: SignedLine? = nil) {
        (self.binding, self.head, self.newest) = (binding, head, newest)
    }

    package static func path(tenant: String) -> String { EndpointPath.receiptAnchor(tenant: tenant) }

    package init(_ claims: Members) throws {
        binding = try CallBinding(claims)
        guard let head = SignedLine(Array(try claims.string(ClaimName.receiptHead).utf8)) else {
            throw ReceiptFailure.malformed
        }
        self.head = head
        newest = try claims.optionalString(ClaimName.receiptAnchor).flatMap { SignedLine(Array($0.utf8)) }
    }

    package func write(to payload: inout MembersWriter) {
        payload.set(ClaimName.receiptHead, String(decoding: head.bytes, as: UTF8.self))
        payload.set(ClaimName.receiptAnchor, newest.map { String(decoding: $0.bytes, as: UTF8.self) })
    }

    /// Returns the countersignature in the reply.
    ///
    /// - Throws: ``MembersFailure``, ``ReceiptFailure``.
    package static func anchor(decoding body: [UInt8]) throws -> (anchor: Anchor, line: SignedLine) {
        let text = try Members(decoding: body).string(ReplyName.anchor)
        guard let line = SignedLine(Array(text.utf8)) else { throw ReceiptFailure.malformed }
        return (try Anchor(line), line)
    }
}
