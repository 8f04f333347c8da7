// SPDX-License-Identifier: Apache-2.0
package import Hummingbird
internal import Storage

/// The origin of a sign-in, by which its failures are counted. The transaction that counts them also verifies these
/// claims.
package struct SignInOrigin: Sendable {
    let peer: PeerAddress
    /// The device that proved its key for this sign-in, if any.
    let device: DeviceID?
    /// The browser's cookies: its session, which identifies the device, and the people who signed in there before.
    let session: OpaqueToken?
    let deviceCookie: DeviceCookie?

    /// - Parameters:
    ///   - browser: the browser's request for the sign-in page; nil for a program.
    ///   - device: the device that proved its key; nil for none.
    package init(_ peer: PeerAddress, browser: Request? = nil, device: DeviceID? = nil) {
        (self.peer, self.device) = (peer, device)
        session = browser.flatMap { HostCookie.session.value(in: $0) }.flatMap(OpaqueToken.init)
        deviceCookie = browser.flatMap(DeviceCookie.init)
    }
}
