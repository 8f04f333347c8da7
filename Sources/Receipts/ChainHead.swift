// SPDX-License-Identifier: Apache-2.0
package import OAuth

/// A device's statement of the newest line in its chain, signed with the receipt key. It requests an ``Anchor``.
package struct ChainHead: Sendable, Equatable {
    package let tenant: String
    package let device: String
    package let key: JSONWebKey
    package let sequence: Int
    /// The hash of that line.
    package let hash: String
    /// The server's nonce, which prevents replays.
    package let nonce: String

    package init(tenant: String, device: String, key: JSONWebKey, sequence: Int, hash: String, nonce: String) {
        self.tenant = tenant
        self.device = device
        self.key = key
        self.sequence = sequence
        self.hash = hash
        self.nonce = nonce
    }

    /// Returns the line, signed with the receipt key.
    ///
    /// - Throws: the error of the cryptography library.
    package func signed(with receiptKey: SigningKey) throws -> SignedLine {
        var body = MembersWriter()
        body.set(ReceiptName.type, LineType.head)
        body.set(ReceiptName.version, 1)
        body.set(ReceiptName.tenant, tenant)
        body.set(ReceiptName.device, device)
        body.set(ReceiptName.key, key.canonical)
        body.set(ReceiptName.sequence, sequence)
        body.set(ReceiptName.hash, hash)
        body.set(ReceiptName.nonce, nonce)
        return try SignedLine(body, signedWith: receiptKey)
    }

    /// Reads a line and checks that it is signed with the key that it contains.
    ///
    /// - Throws: ``ReceiptFailure``, ``MembersFailure``, ``JOSEFailure``.
    package init(_ line: SignedLine) throws {
        try line.confirm(LineType.head)
        guard let key = try line.members.members(ReceiptName.key) else { throw ReceiptFailure.malformed }
        self.init(
            tenant: try line.members.string(ReceiptName.tenant), device: try line.members.string(ReceiptName.device),
            key: try JSONWebKey(key), sequence: try line.members.integer(ReceiptName.sequence),
            hash: try line.members.string(ReceiptName.hash), nonce: try line.members.string(ReceiptName.nonce))
        let isHash = (try? Base64URL.decode(hash))?.count == 32
        guard isHash, sequence >= 1, case .p256 = self.key.numbers else { throw ReceiptFailure.malformed }
        guard line.isSigned(by: try self.key.verificationKey()) else { throw JOSEFailure.wrongSignature }
    }
}
