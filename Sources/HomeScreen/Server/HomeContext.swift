// SPDX-License-Identifier: Apache-2.0
internal import Glibc
internal import Hummingbird
internal import NIOCore
internal import Processes

/// The context of a request to the home screen's server.
struct HomeContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    /// The port that the process connected to.
    let port: Int?
    private let channel: any Channel

    init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        (channel, port) = (source.channel, source.channel.localAddress?.port)
    }

    var maxUploadSize: Int { 4096 }

    /// The process of the window that the request comes from: the child of this process that opened the connection, or
    /// that started the process that opened it. Nil if another program sent the request, or if that cannot be
    /// determined.
    var window: ProcessTable.Name? {
        get async {
            guard let peer = channel.peer else { return nil }
            let link = SocketTable.link(to: String(peer.inode))
            return try? await blocking { try ProcessTable.read().child(of: getpid(), withOpen: link)?.name }
        }
    }
}

extension Channel {
    /// The socket of the process that connected, which the kernel reports; nil if it cannot be determined.
    var peer: LoopbackPeer.End? {
        guard let peer = remoteAddress, let local = localAddress else { return nil }
        let answer = unsafe peer.withSockAddr { peer, _ in
            unsafe local.withSockAddr { local, _ in unsafe LoopbackPeer.end(from: peer, to: local) }
        }
        return try? answer.get()
    }
}
