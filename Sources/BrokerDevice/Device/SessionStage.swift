// SPDX-License-Identifier: Apache-2.0

/// How far the worker's session is, as management needs to know it.
package enum SessionStage: Sendable, Equatable {
    /// Nobody is at the device, and nothing of anybody is left.
    case free
    /// Somebody signs in or is being signed out; also while the broker does not know yet.
    case changing
    /// A worker holds the device.
    case held
}
