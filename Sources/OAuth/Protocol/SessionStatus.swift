// SPDX-License-Identifier: Apache-2.0

/// How a device and its session stand at the identity platform (Baton's own); each of them is the server's definite word.
package enum SessionStatus: String, Sendable, Hashable, CaseIterable {
    /// The device is good, and named no session.
    case noSession = "no_session"
    /// The session is good.
    case live
    /// The session has ended, or was never this device's in this epoch.
    case ended
    /// The device has left the epoch that it names: it was reset, or a copy of it went on.
    case staleEpoch = "stale_epoch"
    case deviceDisabled = "device_disabled"
    /// No device of the directory has that certificate.
    case deviceUnknown = "device_unknown"
}
