// SPDX-License-Identifier: Apache-2.0

/// The status of a device and its session at the identity platform (Baton's own). Each value is the server's definite
/// answer.
package enum SessionStatus: String, Sendable, Hashable, CaseIterable {
    /// The device is valid and named no session.
    case noSession = "no_session"
    /// The session is valid.
    case live
    /// The session has ended, or was never a session of this device in this epoch.
    case ended
    /// The epoch that the device names is over: the device's state was reset, or a copy of the device has reported a
    /// later epoch.
    case staleEpoch = "stale_epoch"
    case deviceDisabled = "device_disabled"
    /// No device in the directory has this certificate.
    case deviceUnknown = "device_unknown"
}
