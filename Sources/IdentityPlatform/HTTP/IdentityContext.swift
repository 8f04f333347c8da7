// SPDX-License-Identifier: Apache-2.0
package import Hummingbird
package import NIOCore

/// What a request of the platform's listener carries along: its channel, for the client's certificate.
package struct IdentityContext: RequestContext {
    package var coreContext: CoreRequestContextStorage
    package let channel: any Channel

    package init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        channel = source.channel
    }

    /// Bodies above this are refused.
    package var maxUploadSize: Int { 64 * 1024 }
}
