// SPDX-License-Identifier: Apache-2.0
internal import BrokerDevice
internal import Crypto
internal import Files
internal import FoundationEssentials
internal import Redaction

/// What ties the device's state to the machine that it was made on: a keyed hash of the machine's number (machine-id(5)),
/// under the device's sealing key, so that the number itself stands nowhere.
///
/// A copy of the state alone is known by it; a copy of the whole disk takes the number along.
struct MachineBinding {
    private let files: DeviceFiles
    private let machine: AtomicFile
    private let keys: KeyStore

    /// - Parameter machine: the file with the machine's number.
    init(files: DeviceFiles, keys: KeyStore, machine: String) {
        (self.files, self.keys) = (files, keys)
        self.machine = AtomicFile(path: machine)
    }

    private static let bindingName = "machine-binding"
    /// The files of the sealing key, and of what it must be able to open, in the device's state.
    static let files = [SealingKey.plainFile, SealingKey.platformFile, EpochCount.fileName].map { "keys/" + $0 }
    private static let context = Array("baton device state\0".utf8)

    /// Whether this is the machine; the first time it becomes the one.
    ///
    /// Where the machine has a TPM, that binds it too: no other opens the sealing key, and an older copy of the state is known.
    ///
    /// - Returns: nil where it is, or where nothing binds the state because the machine has no number.
    /// - Throws: ``DeviceStateDamaged``, ``TrustedPlatformFailure``, ``FileError``, ``KeyFileExposed``.
    func reasonToRefuse() throws -> QuarantineReason? {
        try files.prepare()
        let number = try machine.read(limit: 4096)
        let bound = try files.root.file(Self.bindingName).read(limit: 4096)
        if bound != nil, number?.isEmpty ?? true { return .machineUnknown }
        let key = try SealingKey.open(in: keys, mayMake: bound == nil)
        if let platform = keys.platform,
            try EpochCount(in: keys, platform: platform, seal: DeviceSeal(sealingKey: key)).isOfAnotherTime()
        {
            return .olderCopy
        }
        guard let number, !number.isEmpty else { return nil }
        guard let bound else {
            try files.root.file(Self.bindingName).replace(with: code(number, key))
            return nil
        }
        return equalInConstantTime(bound, code(number, key)) ? nil : .otherMachine
    }

    private func code(_ number: [UInt8], _ key: SecretBytes) -> [UInt8] {
        unsafe key.withUnsafeBytes { key in
            Array(
                HMAC<SHA256>.authenticationCode(
                    for: Self.context + number, using: unsafe SymmetricKey(data: key)))
        }
    }
}
