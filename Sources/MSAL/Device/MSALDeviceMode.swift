// SPDX-License-Identifier: Apache-2.0

/// Whether workers share the device.
#if canImport(ObjectiveC)
    @objc(MSALDeviceMode)
#endif
public enum MSALDeviceMode: UInt, Sendable {
    /// The device of one person.
    case `default` = 0
    /// A device that workers share and hand over to each other.
    case shared = 1
}
