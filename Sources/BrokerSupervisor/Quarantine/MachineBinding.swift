// SPDX-License-Identifier: Apache-2.0
internal import Crypto
internal import DeviceKeyStore
internal import DeviceSettings
internal import Files
internal import FoundationEssentials
internal import Redaction

/// The binding of the device's state to the machine on which the state was made. It is a hash of the machine's id
/// (machine-id(5)), keyed with the device's sealing key, so that the id itself is not stored.
///
/// The binding detects a copy of the state alone on another machine. A copy of the whole disk includes the machine's id
/// and is not detected.
struct MachineBinding {
    private let files: DeviceFiles
    private let machine: AtomicFile
    private let keys: KeyStore

    /// - Parameter machine: the file with the machine's id.
    init(files: DeviceFiles, keys: KeyStore, machine: String) {
        (self.files, self.keys) = (files, keys)
        self.machine = AtomicFile(path: machine)
    }

    private static let bindingName = "machine-binding"
    /// The files that hold the sealing key and the data sealed with it, as paths in the folder of the device's state.
    static let files = [SealingKey.plainFile, SealingKey.platformFile, EpochCount.fileName].map { "keys/" + $0 }
    private static let context = Array("baton device state\0".utf8)

    /// Returns why the state may not be used on this machine. The first call binds the state to the machine.
    ///
    /// If a TPM is configured, it binds the state as well: no other TPM can decrypt the sealing key, and the TPM's
    /// counter reveals an older copy of the state.
    ///
    /// - Returns: nil if the state was made on this machine, or if the machine has no id and the state is not bound.
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
