// SPDX-License-Identifier: Apache-2.0
internal import Crypto
internal import Encodings
internal import Glibc
package import Hummingbird
internal import MDMProtocol
internal import NIOCore
internal import NIOSSL
internal import Storage

enum CertificateSubject {}
/// The SHA-256 of a certificate's DER in hexadecimal digits, by which the server finds an enrollment.
typealias CertificateFingerprint = ForeignID<CertificateSubject>

/// A request's context with the device certificate of the TLS channel.
package struct MDMContext: RequestContext {
    package var coreContext: CoreRequestContextStorage
    private let peer: Peer

    private enum Peer: Sendable {
        case channel(any Channel)
        case fixed([UInt8]?)
    }

    package init(source: ApplicationRequestContextSource) {
        coreContext = .init(source: source)
        peer = .channel(source.channel)
    }

    /// Creates a context for a known peer. `certificate` is the DER of the peer's certificate; nil if the peer has
    /// none.
    package init(source: ApplicationRequestContextSource, certificate: [UInt8]?) {
        coreContext = .init(source: source)
        peer = .fixed(certificate)
    }

    package var maxUploadSize: Int { 1 << 20 }

    /// Makes the kernel drop the connection if sent data stays unacknowledged for this long (`TCP_USER_TIMEOUT`,
    /// tcp(7)), so that the server notices if a device has disappeared.
    package func giveUp(after silence: Duration) async throws {
        guard case .channel(let channel) = peer, let options = channel as? any SocketOptionProvider else { return }
        try await options.unsafeSetSocketOption(
            level: .tcp, name: NIOBSDSocket.Option(rawValue: TCP_USER_TIMEOUT),
            value: CInt(clamping: silence.milliseconds)
        ).get()
    }

    /// Closes the connection.
    package func closeConnection() {
        guard case .channel(let channel) = peer else { return }
        channel.close(promise: nil)
    }

    /// Returns the SHA-256 of the device's certificate in hexadecimal digits; nil if the device presented none.
    ///
    /// The TLS handshake proved that the device has the key. Works with HTTP/1.1 only: over HTTP/2 the channel would
    /// belong to a stream, not to the connection.
    func fingerprint() async throws -> CertificateFingerprint? {
        switch peer {
        case .fixed(let certificate): return certificate.map(Self.fingerprint)
        case .channel(let channel):
            guard let certificate = try await channel.nioSSL_peerCertificate().get() else { return nil }
            return Self.fingerprint(try certificate.toDERBytes())
        }
    }

    /// Returns the fingerprint of a certificate's DER.
    static func fingerprint(_ certificate: [UInt8]) -> CertificateFingerprint {
        CertificateFingerprint(rawValue: Hexadecimal.text(SHA256.hash(data: certificate)))
    }
}
