// SPDX-License-Identifier: Apache-2.0
internal import Crypto
internal import DeviceManagement
internal import Glibc
package import Hummingbird
internal import NIOCore
internal import NIOSSL
internal import Storage

enum CertificateSubject {}
/// The SHA-256 of a certificate's DER in hexadecimal digits. The server finds an enrollment by it.
typealias CertificateFingerprint = ForeignID<CertificateSubject>

/// A request's surroundings with the device certificate that the TLS channel vouches for.
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

    /// A context whose peer is known already: DER of its certificate, or nil for none.
    package init(source: ApplicationRequestContextSource, certificate: [UInt8]?) {
        coreContext = .init(source: source)
        peer = .fixed(certificate)
    }

    package var maxUploadSize: Int { 1 << 20 }

    /// Has the kernel give the connection up when what was sent stays unacknowledged for this long (`TCP_USER_TIMEOUT`,
    /// tcp(7)), so that a device that vanished without a word is noticed.
    package func giveUp(after silence: Duration) async throws {
        guard case .channel(let channel) = peer, let options = channel as? any SocketOptionProvider else { return }
        try await options.unsafeSetSocketOption(
            level: .tcp, name: NIOBSDSocket.Option(rawValue: TCP_USER_TIMEOUT),
            value: CInt(clamping: silence.milliseconds)
        ).get()
    }

    /// The SHA-256 of the device's certificate in hexadecimal digits; nil where it showed none.
    ///
    /// The TLS handshake proved that the device has the key. HTTP/1.1 alone: over HTTP/2 the channel would be a stream's.
    func fingerprint() async throws -> CertificateFingerprint? {
        switch peer {
        case .fixed(let certificate): return certificate.map(Self.fingerprint)
        case .channel(let channel):
            guard let certificate = try await channel.nioSSL_peerCertificate().get() else { return nil }
            return Self.fingerprint(try certificate.toDERBytes())
        }
    }

    /// How certificates are named in the database.
    static func fingerprint(_ certificate: [UInt8]) -> CertificateFingerprint {
        CertificateFingerprint(rawValue: Hex.text(SHA256.hash(data: certificate)))
    }
}
