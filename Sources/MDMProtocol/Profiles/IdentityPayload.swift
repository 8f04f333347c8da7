// SPDX-License-Identifier: Apache-2.0
package import Redaction

/// `com.apple.security.pkcs12`: a key with its certificate, as a PKCS#12 container.
///
/// The server sends the key to the device in this payload. SCEP and ACME would avoid this; they are not supported yet.
package struct IdentityPayload: Hashable, Sendable {
    package var container: Sensitive<[UInt8]>
    package var password: Sensitive<String>
    package var fileName: String?

    package init(container: [UInt8], password: String, fileName: String? = nil) {
        self.container = Sensitive(container)
        self.password = Sensitive(password)
        self.fileName = fileName
    }

    init(fields: Fields) throws(FieldError) {
        container = Sensitive(try fields.data(.payloadContent))
        password = Sensitive(try fields.string(.password))
        fileName = try fields.optionalString(.payloadCertificateFileName)
    }

    var members: [String: PropertyList] {
        PropertyList.members([
            .payloadContent: .data(container.exposed),
            .password: .string(password.exposed),
            .payloadCertificateFileName: fileName.map(PropertyList.string),
        ])
    }
}

/// `com.apple.security.root`: a root certificate for the device to trust.
package struct CertificatePayload: Hashable, Sendable {
    /// The certificate, in DER format.
    package var certificate: [UInt8]
    package var fileName: String?

    package init(certificate: [UInt8], fileName: String? = nil) {
        self.certificate = certificate
        self.fileName = fileName
    }

    init(fields: Fields) throws(FieldError) {
        certificate = try fields.data(.payloadContent)
        fileName = try fields.optionalString(.payloadCertificateFileName)
    }

    var members: [String: PropertyList] {
        PropertyList.members([
            .payloadContent: .data(certificate), .payloadCertificateFileName: fileName.map(PropertyList.string),
        ])
    }
}
