// SPDX-License-Identifier: Apache-2.0
internal import Hummingbird
internal import NIOCore

/// What a request on the administration socket carries along: its channel, for the peer's identity.
struct AdminContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    let channel: any Channel

    init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        channel = source.channel
    }
}
