// SPDX-License-Identifier: Apache-2.0
internal import Hummingbird
internal import NIOCore

/// The context of a request on the administration socket: its channel, which identifies the peer.
struct AdminContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    let channel: any Channel

    init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        channel = source.channel
    }
}
