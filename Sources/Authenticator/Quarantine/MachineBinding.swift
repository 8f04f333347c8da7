// SPDX-License-Identifier: Apache-2.0
internal import Crypto
internal import FoundationEssentials
internal import Redaction

/// What ties the device's state to the machine that it was made on: a keyed hash of the machine's number (machine-id(5)),
/// under the device's sealing key, so that the number itself stands nowhere.
///
/// A copy of the state alone is known by it; a copy of the whole disk takes the number along.
struct MachineBinding {
    private let files: DeviceFiles
    private let machine: AtomicFile

    /// - Parameter machine: the file with the machine's number.
    init(files: DeviceFiles, machine: String) {
        self.files = files
        self.machine = AtomicFile(path: machine)
    }

    private static let bindingName = "machine-binding"
    private static let keyName = "sealing.key"
    /// The file of the sealing key, in the device's state.
    static let keyFile = "keys/" + keyName
    private static let keyLength = 32
    private static let context = Array("baton device state\0".utf8)

    /// Whether this is the machine; the first time it becomes the one.
    ///
    /// - Returns: nil where it is, or where nothing binds the state because the machine has no number.
    /// - Throws: ``FileError``, ``KeyFileExposed``.
    func reasonToRefuse() throws -> QuarantineReason? {
        let number = try machine.read(limit: 4096)
        let bound = try files.root.file(Self.bindingName).read(limit: 4096)
        guard let bound else {
            if let number, !number.isEmpty { try bind(to: number) }
            return nil
        }
        guard let number, !number.isEmpty else { return .machineUnknown }
        guard let key = try key() else { return .damaged(file: Self.keyFile) }
        let isSame = unsafe key.withUnsafeBytes { key in
            HMAC<SHA256>.isValidAuthenticationCode(
                bound, authenticating: Self.context + number, using: unsafe SymmetricKey(data: key))
        }
        return isSame ? nil : .otherMachine
    }

    private func bind(to number: [UInt8]) throws {
        try files.prepare()
        if try key() == nil {
            var random = SystemRandomNumberGenerator()
            let bytes = (0..<Self.keyLength).map { _ in UInt8.random(in: .min ... .max, using: &random) }
            try files.keys.file(Self.keyName).replace(with: bytes, mode: 0o600)
        }
        guard let key = try key() else { throw DeviceStateDamaged(file: Self.keyFile) }
        let code = unsafe key.withUnsafeBytes { key in
            Array(
                HMAC<SHA256>.authenticationCode(
                    for: Self.context + number, using: unsafe SymmetricKey(data: key)))
        }
        try files.root.file(Self.bindingName).replace(with: code)
    }

    private func key() throws -> SecretBytes? {
        guard let key = try KeyFile.read(Self.keyName, in: files.keys), key.count == Self.keyLength else { return nil }
        return key
    }
}
