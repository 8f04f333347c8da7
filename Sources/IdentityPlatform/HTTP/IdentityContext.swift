// SPDX-License-Identifier: Apache-2.0
package import Hummingbird
package import NIOCore
internal import NIOSSL

/// The context of a request on the platform's listener: its channel, and the client's TLS certificate.
package struct IdentityContext: RequestContext {
    package var coreContext: CoreRequestContextStorage
    package let channel: any Channel
    private let peer: Peer

    private enum Peer: Sendable {
        case channel
        case fixed([UInt8]?)
    }

    package init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        channel = source.channel
        peer = .channel
    }

    /// Creates a context for a peer whose certificate is already known. `certificate` is in DER; it is nil if the peer
    /// has no certificate.
    package init(source: ApplicationRequestContextSource, certificate: [UInt8]?) {
        coreContext = CoreRequestContextStorage(source: source)
        channel = source.channel
        peer = .fixed(certificate)
    }

    /// The maximum size of a body in bytes. Larger bodies are refused.
    package var maxUploadSize: Int { 64 * 1024 }

    /// The address of the client, even if the connection arrives through a load balancer.
    var client: PeerAddress { ForwardedClient.current?.address ?? PeerAddress(channel.remoteAddress) }

    /// Returns the DER of the certificate with which the client authenticated in the TLS handshake; nil if it presented
    /// none. The certificate's issuer has not been checked.
    ///
    /// This works only with HTTP/1.1: over HTTP/2 the channel would belong to a stream.
    /// - Throws: an error of SwiftNIO if the channel has no TLS.
    func peerCertificate() async throws -> [UInt8]? {
        switch peer {
        case .fixed(let certificate): certificate
        case .channel: try await channel.nioSSL_peerCertificate().get()?.toDERBytes()
        }
    }
}
