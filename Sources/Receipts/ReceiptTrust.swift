// SPDX-License-Identifier: Apache-2.0
package import OAuth

/// The data with which receipts are verified. It does not come from the device. It consists of the tenant's device
/// authority, the tenant's key for anchors, and the newest anchors that the server has stored.
package struct ReceiptTrust: Sendable {
    package let tenant: String
    /// The certificate of the tenant's device authority, DER.
    package let deviceAuthority: [UInt8]
    package let anchorKey: JSONWebKey
    package let anchors: [SignedLine]

    package init(tenant: String, deviceAuthority: [UInt8], anchorKey: JSONWebKey, anchors: [SignedLine]) {
        self.tenant = tenant
        self.deviceAuthority = deviceAuthority
        self.anchorKey = anchorKey
        self.anchors = anchors
    }

    private static let limit = 4 << 20

    /// The trust as one JSON object; each anchor is the text of its line.
    package var bytes: [UInt8] {
        var body = MembersWriter()
        body.set(ReceiptName.version, 1)
        body.set(ReceiptName.tenant, tenant)
        body.set(ReceiptName.deviceAuthority, Base64.encode(deviceAuthority))
        body.set(ReceiptName.anchorKey, anchorKey.canonical)
        body.set(ReceiptName.anchors, anchors.map { String(decoding: $0.bytes, as: UTF8.self) })
        return body.bytes
    }

    /// Reads the object. An anchor that cannot be read, or that is not signed with the tenant's key, is an error: a
    /// verifier that left it out would not detect that the chain was cut.
    ///
    /// - Throws: ``ReceiptFailure``, ``MembersFailure``, ``JOSEFailure``, ``Base64Failure``.
    package init(bytes: [UInt8]) throws {
        let members = try Members(decoding: bytes, limit: Self.limit)
        guard try members.integer(ReceiptName.version) == 1 else { throw ReceiptFailure.unknownVersion }
        guard let words = try members.members(ReceiptName.anchorKey) else { throw ReceiptFailure.malformed }
        let (key, tenant) = (try JSONWebKey(words), try members.string(ReceiptName.tenant))
        let verification = try key.verificationKey()
        self.init(
            tenant: tenant, deviceAuthority: try Base64.decode(try members.string(ReceiptName.deviceAuthority)),
            anchorKey: key,
            anchors: try (try members.strings(ReceiptName.anchors) ?? []).map { text in
                guard let line = SignedLine(Array(text.utf8)), line.isSigned(by: verification),
                    try Anchor(line).tenant == tenant
                else { throw ReceiptFailure.malformed }
                return line
            })
    }
}
