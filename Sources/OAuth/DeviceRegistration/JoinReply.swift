// SPDX-License-Identifier: Apache-2.0

/// What device registration answers to a join.
package struct JoinReply: Sendable {
    /// DER of the device certificate; its subject is one common name, the device id.
    package let certificate: [UInt8]
    /// SHA-1 of the certificate, upper-case hexadecimal: a name, not a proof.
    package let thumbprint: String
    /// Who joined the device.
    package let userPrincipalName: String

    package init(certificate: [UInt8], thumbprint: String, userPrincipalName: String) {
        self.certificate = certificate
        self.thumbprint = thumbprint
        self.userPrincipalName = userPrincipalName
    }

    /// Reads a reply with status 200.
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
