// SPDX-License-Identifier: Apache-2.0
package import OAuth

/// The server's countersignature of a chain's newest line. With it, a later removal or change of this line or of an
/// earlier line can be detected.
package struct Anchor: Sendable, Equatable {
    package let tenant: String
    package let device: String
    /// The thumbprint of the receipt key, which identifies the chain.
    package let key: String
    package let sequence: Int
    /// The hash of the line with that sequence number.
    package let hash: String
    /// When the server first received that line, in seconds since 1970 by the server's clock.
    package let at: Int
    /// The thumbprint of the server's key.
    package let authority: String

    package init(
        tenant: String, device: String, key: String, sequence: Int, hash: String, at: Int, authority: String
    ) {
        self.tenant = tenant
        self.device = device
        self.key = key
        self.sequence = sequence
        self.hash = hash
        self.at = at
        self.authority = authority
    }

    /// Returns the line, signed with the server's key for anchors.
    ///
    /// - Throws: the error of the cryptography library.
    package func signed(with key: SigningKey) throws -> SignedLine {
        var body = MembersWriter()
        body.set(ReceiptName.type, LineType.anchor)
        body.set(ReceiptName.version, 1)
        body.set(ReceiptName.tenant, tenant)
        body.set(ReceiptName.device, device)
        body.set(ReceiptName.key, self.key)
        body.set(ReceiptName.sequence, sequence)
        body.set(ReceiptName.hash, hash)
        body.set(ReceiptName.at, at)
        body.set(ReceiptName.authority, authority)
        return try SignedLine(body, signedWith: key)
    }

    /// Reads a line. The caller must check its signature.
    ///
    /// - Throws: ``ReceiptFailure``, ``MembersFailure``.
    package init(_ line: SignedLine) throws {
        try line.confirm(LineType.anchor)
        let members = line.members
        self.init(
            tenant: try members.string(ReceiptName.tenant), device: try members.string(ReceiptName.device),
            key: try members.string(ReceiptName.key), sequence: try members.integer(ReceiptName.sequence),
            hash: try members.string(ReceiptName.hash), at: try members.integer(ReceiptName.at),
            authority: try members.string(ReceiptName.authority))
    }
}
