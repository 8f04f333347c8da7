// SPDX-License-Identifier: Apache-2.0
package import DeviceKeyStore
internal import DeviceSettings

/// Why a device's state is not trusted and must not be used.
package enum QuarantineReason: Sendable, Equatable {
    /// The file cannot be read.
    case damaged(file: String)
    /// The state was made on another machine.
    case otherMachine
    /// The state is bound to a machine, but this machine has no id.
    case machineUnknown
    /// The device certificate does not belong to the device key.
    case otherDeviceKey
    /// The machine's TPM has counted more epochs than the state records.
    case olderCopy
    /// The TPM with the device's keys fails.
    case platform(TrustedPlatformFailure)
    /// A later version wrote the state, in the format with this number.
    case newerFormat(Int)
    /// An earlier version wrote the state, in the format with this number, which this version cannot read.
    case olderFormat(Int)

    /// Returns why state in the format with this number is refused; nil if this version uses the format.
    static func format(_ number: Int) -> QuarantineReason? {
        if number > DeviceFiles.currentFormat { return .newerFormat(number) }
        return number < DeviceFiles.currentFormat ? .olderFormat(number) : nil
    }

    /// A stable code, for programs.
    package var code: String {
        switch self {
        case .damaged: "device_state_damaged"
        case .otherMachine: "state_of_another_machine"
        case .machineUnknown: "machine_unknown"
        case .otherDeviceKey: "state_of_another_device"
        case .olderCopy: "state_of_another_time"
        case .platform(let failure): failure.code
        case .newerFormat: "device_state_newer"
        case .olderFormat: "device_state_older"
        }
    }

    package var message: String {
        switch self {
        case .damaged(let file): "\(code): \(file) cannot be read"
        case .otherMachine: "\(code): the state was made on another machine"
        case .machineUnknown: "\(code): /etc/machine-id is missing or empty"
        case .otherDeviceKey: "\(code): keys and registration belong to two different devices"
        case .olderCopy: "\(code): the state is an older copy, or the TPM's counter was removed"
        case .platform(let failure): "\(code): \(failure.cause)"
        case .newerFormat(let number):
            "\(code): a later version wrote the state, in format \(number); this version supports format "
                + "\(DeviceFiles.currentFormat)"
        case .olderFormat(let number):
            "\(code): an earlier version wrote the state, in format \(number); this version supports format "
                + "\(DeviceFiles.currentFormat)"
        }
    }

    /// The operator's next step.
    package var remedy: String {
        switch self {
        case .damaged: "Restore the file and restart batond, or run: baton device recover. Then join the device again."
        case .otherMachine, .otherDeviceKey:
            "Restore the device's own state and restart batond, or run: baton device recover. Then join the "
                + "device again."
        case .olderCopy:
            "Restore the device's latest state and restart batond, or run: baton device recover. Then join the "
                + "device again."
        case .platform(let failure): failure.remedy + " To continue without the keys in it run: baton device recover."
        case .machineUnknown: "Restore /etc/machine-id and restart batond, or run: baton device recover."
        case .newerFormat:
            "Install the version of batond that wrote the state, or a later one; the state was not changed."
        case .olderFormat: "Run: baton device recover. Then enroll and join the device again."
        }
    }

    /// Whether recovery must also move aside what belongs to the machine: sealing key, receipts and management.
    var isForeign: Bool {
        switch self {
        case .otherMachine, .machineUnknown, .otherDeviceKey, .olderCopy, .platform, .olderFormat: true
        case .newerFormat: false
        case .damaged(let file): MachineBinding.files.contains(file)
        }
    }

    /// Whether the state may be moved aside to start over. State of a newer format is intact and must not be moved
    /// aside.
    var isRecoverable: Bool {
        if case .newerFormat = self { return false }
        return true
    }
}
