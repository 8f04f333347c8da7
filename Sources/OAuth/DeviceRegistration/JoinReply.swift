// SPDX-License-Identifier: Apache-2.0

/// The reply of device registration to a join.
package struct JoinReply: Sendable {
    /// The device certificate in DER format; its subject is a single common name, the device id.
    package let certificate: [UInt8]
    /// The SHA-1 of the certificate, in upper-case hexadecimal. It identifies the certificate and proves nothing.
    package let thumbprint: String
    /// The user who joined the device.
    package let userPrincipalName: String

    package init(certificate: [UInt8], thumbprint: String, userPrincipalName: String) {
        self.certificate = certificate
        self.thumbprint = thumbprint
        self.userPrincipalName = userPrincipalName
    }

    /// Reads the body of a reply with status 200.
    ///
    /// - Throws: ``MembersFailure``, ``Base64Failure``.
    package init(decoding body: [UInt8]) throws {
        let reply = try Members(decoding: body)
        guard let certificate = try reply.members(RegistrationName.certificate) else {
            throw MembersFailure.missing(RegistrationName.certificate.rawValue)
        }
        self.certificate = try Base64.decodeLeniently(try certificate.string(RegistrationName.rawBody))
        thumbprint = try certificate.optionalString(RegistrationName.thumbprint) ?? ""
        userPrincipalName =
            try reply.members(RegistrationName.user)?.optionalString(RegistrationName.userPrincipalName) ?? ""
    }

    /// The JSON body.
    package var encoded: [UInt8] {
        var certificate = MembersWriter()
        certificate.set(RegistrationName.thumbprint, thumbprint)
        certificate.set(RegistrationName.rawBody, Base64.encode(self.certificate))
        var user = MembersWriter()
        user.set(RegistrationName.userPrincipalName, userPrincipalName)
        var body = MembersWriter()
        body.set(RegistrationName.certificate, certificate)
        body.set(RegistrationName.user, user)
        return body.bytes
    }
}
