// SPDX-License-Identifier: Apache-2.0
internal import Hummingbird
internal import NIOCore

/// The context of a request to the home screen's server.
struct HomeContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    /// The port that the process connected to.
    let port: Int?

    init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        port = source.channel.localAddress?.port
    }

    var maxUploadSize: Int { 4096 }
}
