// SPDX-License-Identifier: Apache-2.0
internal import Glibc
internal import Hummingbird
internal import NIOCore
internal import Processes

/// The context of a request to the home screen's server. It keeps the channel, in order to find the user at the other
/// end of the channel.
struct HomeContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    private let channel: any Channel

    init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        channel = source.channel
    }

    var maxUploadSize: Int { 4096 }

    /// The user of the process that connected, which the kernel reports; nil if the user cannot be determined.
    var user: UInt32? {
        guard let peer = channel.remoteAddress, let local = channel.localAddress else { return nil }
        let answer = unsafe peer.withSockAddr { peer, _ in
            unsafe local.withSockAddr { local, _ in unsafe LoopbackPeer.user(from: peer, to: local) }
        }
        return try? answer.get()
    }

    /// The port that the process connected to.
    var port: Int? { channel.localAddress?.port }
}
