// SPDX-License-Identifier: Apache-2.0

/// A file of the device's state that cannot be read. Treating it as empty could hide a worker who is still signed in.
package struct DeviceStateDamaged: Error, Equatable, CustomStringConvertible {
    package let file: String

    package init(file: String) {
        self.file = file
    }

    package var description: String {
        "device_state_damaged: \(file) cannot be read. Restore it, or remove the device's state and join again."
    }
}
