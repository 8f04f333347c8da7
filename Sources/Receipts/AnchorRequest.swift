// SPDX-License-Identifier: Apache-2.0
package import OAuth

/// A device's request for the countersignature of its newest receipt (Baton's own call): signed by the device key, and in
/// it the head, signed by the receipt key.
package struct AnchorRequest: Sendable {
    /// The endpoint's URL as the device called it.
    package let audience: String
    package let deviceID: String
    package let nonce: String
    /// Seconds since 1970.
    package let issuedAt: Int
    package let head: SignedLine

    package init(audience: String, deviceID: String, nonce: String, issuedAt: Int, head: SignedLine) {
        self.audience = audience
        self.deviceID = deviceID
        self.nonce = nonce
        self.issuedAt = issuedAt
        self.head = head
    }

    /// Reads the members of a verified request.
    ///
    /// - Throws: ``MembersFailure``, ``ReceiptFailure``.
    package init(_ claims: Members) throws {
        audience = try claims.string(ClaimName.audience)
        deviceID = try claims.string(ClaimName.issuer)
        nonce = try claims.string(ClaimName.requestNonce)
        issuedAt = try claims.integer(ClaimName.issuedAt)
        guard let head = SignedLine(Array(try claims.string(ClaimName.receiptHead).utf8)) else {
            throw ReceiptFailure.malformed
        }
        self.head = head
    }

    /// The form to post, signed by the device key with its certificate (DER).
    ///
    /// - Throws: the library's error.
    package func form(signedWith deviceKey: SigningKey, certificate: [UInt8]) throws -> FormParameters {
        var payload = MembersWriter()
        payload.set(ClaimName.audience, audience)
        payload.set(ClaimName.issuer, deviceID)
        payload.set(ClaimName.requestNonce, nonce)
        payload.set(ClaimName.issuedAt, issuedAt)
        payload.set(ClaimName.receiptHead, String(decoding: head.bytes, as: UTF8.self))
        var form = FormParameters()
        let signer = TokenSigner(key: deviceKey, certificate: certificate)
        form.append(ParameterName.request, try signer.token(payload: payload.bytes))
        return form
    }

    /// The countersignature in the answer.
    ///
    /// - Throws: ``MembersFailure``, ``ReceiptFailure``.
    package static func anchor(decoding body: [UInt8]) throws -> (anchor: Anchor, line: SignedLine) {
        let text = try Members(decoding: body).string(ReplyName.anchor)
        guard let line = SignedLine(Array(text.utf8)) else { throw ReceiptFailure.malformed }
        return (try Anchor(line), line)
    }
}
