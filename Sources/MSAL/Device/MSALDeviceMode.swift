// SPDX-License-Identifier: Apache-2.0

/// Whether workers share the device.
#if canImport(ObjectiveC)
    @objc(MSALDeviceMode)
#endif
public enum MSALDeviceMode: UInt, Sendable {
    /// One person's device.
    case `default` = 0
    /// Passed on from worker to worker.
    case shared = 1
}
