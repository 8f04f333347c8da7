// SPDX-License-Identifier: Apache-2.0
package import Hummingbird
package import NIOCore

/// The context of a call of administration: its channel, and its caller once an interface has identified the caller.
package struct AdminContext: RequestContext {
    package var coreContext: CoreRequestContextStorage
    package let channel: any Channel
    /// Nil until the caller is known. No operation is served without a caller.
    package var caller: AdminCaller?

    package init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        channel = source.channel
    }
}
