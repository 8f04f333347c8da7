// SPDX-License-Identifier: Apache-2.0
package import Storage

package typealias SessionID = ID<Session>
package typealias DeviceID = ID<DeviceBinding>

/// One sign-in by one person. Every code, token and cookie that results from the sign-in belongs to the session (`sid`)
/// and becomes invalid when the session ends.
package struct Session: Sendable {
    package let tenant: TenantID
    package let id: SessionID
    package let user: UserID
    /// The device to which the session is bound; nil until a device has proved possession of its key for the session.
    package let device: DeviceBinding?
    /// The counter of the device epoch that the session belongs to; nil if the session belongs to no epoch.
    package let epochCounter: Int64?
    /// How the person authenticated (RFC 8176); `pwd` for a password.
    package let methods: [String]
    package let begun: Timestamp
    package let ended: Timestamp?
    /// The browser in which the session began; nil if it began without a browser.
    let browser: BrowserID?
    /// Whether the session was started with a device code for another screen (RFC 8628). Such a session is never bound
    /// to a device.
    let isFromDeviceCode: Bool
}

/// The device that a session is bound to.
package struct DeviceBinding: Sendable, Hashable {
    package let id: DeviceID
    /// Whether several workers share the device. Access tokens on a shared device are valid for at most
    /// ``IdentityConfiguration/Lifetimes/sharedDeviceAccessToken``, by default ten minutes.
    package let isShared: Bool

    package init(id: DeviceID, isShared: Bool) {
        self.id = id
        self.isShared = isShared
    }
}

/// Authentication methods (RFC 8176).
package enum AuthenticationMethod {
    package static let password = "pwd"
    /// The person's own key, stored in software.
    package static let ownKey = "swk"
}

/// Why a session ended. The raw values appear in the audit log.
package enum SessionEnd: String, Sendable {
    /// The person signed out in the browser, or of the administration.
    case signedOut = "signed-out"
    /// The device reported the end.
    case ended = "ended-at-device"
    /// The next worker took over the device.
    case handedOver = "handed-over"
    case passwordSet = "password-set"
    case personDisabled = "person-disabled"
    case personRemoved = "person-removed"
    case deviceDisabled = "device-disabled"
    case deviceRemoved = "device-removed"
    /// An administrator ended the session, or the person ended it from elsewhere.
    case revoked
    /// A code or token was used a second time.
    case replayed
}
