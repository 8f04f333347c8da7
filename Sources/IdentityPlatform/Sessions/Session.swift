// SPDX-License-Identifier: Apache-2.0
package import Storage

package typealias SessionID = ID<Session>
package typealias DeviceID = ID<DeviceBinding>

/// One sign-in of one person, the `sid` of every code, token and cookie that came of it. When it ends, all of them do.
package struct Session: Sendable {
    package let tenant: TenantID
    package let id: SessionID
    package let user: UserID
    /// The device that the session is bound to, once it proved its key.
    package let device: DeviceBinding?
    /// The counter of the device's epoch that it belongs to.
    package let epochCounter: Int64?
    /// How the person proved who they are (RFC 8176), `pwd` for a password.
    package let methods: [String]
    package let begun: Timestamp
    package let ended: Timestamp?
    /// The browser that it began in; nil where it began without one.
    let browser: BrowserID?
    /// Whether a person began it for another screen (RFC 8628). It is never bound to a device.
    let isFromDeviceCode: Bool
}

/// The device behind a session, as tokens name it.
package struct DeviceBinding: Sendable, Hashable {
    package let id: DeviceID
    /// Whether several workers share the device; their access tokens live ten minutes at most.
    package let isShared: Bool

    package init(id: DeviceID, isShared: Bool) {
        self.id = id
        self.isShared = isShared
    }
}

/// Ways of proving who one is (RFC 8176).
package enum AuthenticationMethod {
    package static let password = "pwd"
    /// A key of the person's own, kept by software.
    package static let ownKey = "swk"
}

/// Why a session ended; the audit log's word for it.
package enum SessionEnd: String, Sendable {
    /// The person signed out in the browser.
    case signedOut = "signed-out"
    /// The device said so.
    case ended = "ended-at-device"
    /// The next worker took the device over.
    case handedOver = "handed-over"
    case passwordSet = "password-set"
    case personDisabled = "person-disabled"
    case personRemoved = "person-removed"
    case deviceDisabled = "device-disabled"
    case deviceRemoved = "device-removed"
    /// An administrator, or the person elsewhere, ended it.
    case revoked
    /// A code or token that was used up came a second time.
    case replayed
}
