// SPDX-License-Identifier: Apache-2.0
package import Hummingbird
internal import Storage

/// Where a sign-in comes from, as far as counting its failures goes. What it claims is checked in the transaction that
/// counts.
package struct SignInOrigin: Sendable {
    let peer: PeerAddress
    /// The device that proved its key for this sign-in.
    let device: DeviceID?
    /// The browser's cookies: its session, whose device counts, and the people whom it signed in before.
    let session: OpaqueToken?
    let deviceCookie: DeviceCookie?

    /// - Parameters:
    ///   - browser: the request of a browser that shows our page; nil for a program.
    ///   - device: the device that proved its key; nil for none.
    package init(_ peer: PeerAddress, browser: Request? = nil, device: DeviceID? = nil) {
        (self.peer, self.device) = (peer, device)
        session = browser.flatMap { HostCookie.session.value(in: $0) }.flatMap(OpaqueToken.init)
        deviceCookie = browser.flatMap(DeviceCookie.init)
    }
}
