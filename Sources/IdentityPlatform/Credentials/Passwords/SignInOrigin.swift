// SPDX-License-Identifier: Apache-2.0
package import Hummingbird
internal import Storage

/// Where a sign-in comes from. Failures are counted by origin. The transaction that counts a failure verifies the
/// device and the cookies.
package struct SignInOrigin: Sendable {
    let peer: PeerAddress
    /// The device that proved possession of its key for this sign-in; nil if no device did.
    let device: DeviceID?
    /// The browser's two cookies: the one of its session, which may identify a device, and the one that records who has
    /// signed in with this browser before.
    let session: OpaqueToken?
    let deviceCookie: DeviceCookie?

    /// - Parameters:
    ///   - browser: the browser's request for the sign-in page; nil for a program.
    ///   - device: the device that proved possession of its key; nil if no device did.
    package init(_ peer: PeerAddress, browser: Request? = nil, device: DeviceID? = nil) {
        (self.peer, self.device) = (peer, device)
        session = browser.flatMap { HostCookie.session.value(in: $0) }.flatMap(OpaqueToken.init)
        deviceCookie = browser.flatMap(DeviceCookie.init)
    }
}
