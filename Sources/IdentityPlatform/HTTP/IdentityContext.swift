// SPDX-License-Identifier: Apache-2.0
package import Hummingbird
package import NIOCore
internal import NIOSSL

/// A request of the platform's listener with its channel, and the certificate that the TLS channel vouches for.
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

    /// A context whose peer is known already: DER of its certificate, or nil for none.
    package init(source: ApplicationRequestContextSource, certificate: [UInt8]?) {
        coreContext = CoreRequestContextStorage(source: source)
        channel = source.channel
        peer = .fixed(certificate)
    }

    /// Bodies above this are refused.
    package var maxUploadSize: Int { 64 * 1024 }

    /// DER of the certificate whose key the client proved in the TLS handshake; nil where it showed none. Nobody has
    /// checked who issued it.
    ///
    /// HTTP/1.1 alone: over HTTP/2 the channel would be a stream's.
    /// - Throws: the library's error where the channel has no TLS.
    func peerCertificate() async throws -> [UInt8]? {
        switch peer {
        case .fixed(let certificate): certificate
        case .channel: try await channel.nioSSL_peerCertificate().get()?.toDERBytes()
        }
    }
}
