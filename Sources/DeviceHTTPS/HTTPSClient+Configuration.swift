// SPDX-License-Identifier: Apache-2.0
package import DeviceSettings
internal import Files
internal import NIOCore
internal import NIOSSL
package import Redaction

extension HTTPSClient {
    /// The client's trust roots, its own certificate, and its limits.
    package struct Configuration: Sendable {
        /// The trusted certificates in PEM format. Nothing else is trusted, not even the system's roots.
        package var trustRootsPEM: [UInt8]
        /// Host name → address, used instead of the resolver. The certificate is still checked against the name.
        package var dnsOverride: [String: String]
        package var identity: Identity?
        /// The largest body, in bytes, that `send` accepts.
        package var maximumResponse: Int
        package var connectTimeout: Duration
        /// Whether a failed connection is retried until ``connectTimeout`` is over.
        package var retriesConnection: Bool
        /// The longest time without data from the server.
        package var readTimeout: Duration
        package var totalTimeout: Duration

        package init(
            trustRootsPEM: [UInt8],
            dnsOverride: [String: String] = [:],
            identity: Identity? = nil,
            maximumResponse: Int = 4 << 20,
            connectTimeout: Duration = .seconds(5),
            retriesConnection: Bool = true,
            readTimeout: Duration = .seconds(15),
            totalTimeout: Duration = .seconds(30)
        ) {
            self.trustRootsPEM = trustRootsPEM
            self.dnsOverride = dnsOverride
            self.identity = identity
            self.maximumResponse = maximumResponse
            self.connectTimeout = connectTimeout
            self.retriesConnection = retriesConnection
            self.readTimeout = readTimeout
            self.totalTimeout = totalTimeout
        }
    }

    /// The client certificate and its key.
    package struct Identity: Sendable {
        /// The certificates in DER format, the leaf first.
        package let certificates: [[UInt8]]
        /// The private key in PKCS #8 format, encoded in DER.
        package let privateKey: SecretBytes

        package init(certificates: [[UInt8]], privateKey: SecretBytes) {
            self.certificates = certificates
            self.privateKey = privateKey
        }
    }
}

extension HTTPSClient.Configuration {
    func tls() throws -> TLSConfiguration {
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.minimumTLSVersion = .tlsv12
        do {
            let roots = try NIOSSLCertificate.fromPEMBytes(trustRootsPEM)
            guard !roots.isEmpty else { throw HTTPSError(.invalidConfiguration, "no trust root") }
            tls.trustRoots = .certificates(roots)
            if let identity {
                tls.certificateChain = try identity.certificates.map {
                    .certificate(try NIOSSLCertificate(bytes: $0, format: .der))
                }
                let key = try unsafe identity.privateKey.withUnsafeBytes { bytes in
                    try NIOSSLPrivateKey(bytes: unsafe Array(bytes), format: .der)
                }
                tls.privateKey = .privateKey(key)
            }
        } catch let error as HTTPSError { throw error } catch {
            throw HTTPSError(.invalidConfiguration, "trust roots or identity cannot be read")
        }
        return tls
    }
}

extension HTTPSClient {
    /// Creates a client from the broker's configuration and reads the trust roots.
    ///
    /// - Throws: ``HTTPSError`` if the file of trust roots is missing or malformed, ``FileError`` if it cannot be read.
    package convenience init(for configuration: SupervisorConfiguration) throws {
        guard let roots = try AtomicFile(path: configuration.trustRoots).read() else {
            throw HTTPSError(.invalidConfiguration, "the file of trust roots is missing")
        }
        try self.init(configuration: .init(trustRootsPEM: roots, dnsOverride: configuration.resolve))
    }
}
