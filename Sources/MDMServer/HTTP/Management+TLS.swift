// SPDX-License-Identifier: Apache-2.0
package import NIOSSL

extension Management {
    /// How the devices' listener speaks TLS: HTTP/1.1, asking for a client certificate of ``identityAuthority``.
    ///
    /// A device without one gets through to be told so (403); one of another authority does not.
    package func tls(
        certificateChain: [NIOSSLCertificateSource], privateKey: NIOSSLPrivateKeySource
    ) throws -> TLSConfiguration {
        var tls = TLSConfiguration.makeServerConfiguration(certificateChain: certificateChain, privateKey: privateKey)
        tls.minimumTLSVersion = .tlsv12
        tls.applicationProtocols = ["http/1.1"]
        tls.certificateVerification = .optionalVerification
        tls.trustRoots = .certificates([try NIOSSLCertificate(bytes: identityAuthority, format: .der)])
        return tls
    }
}
