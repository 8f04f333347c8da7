// SPDX-License-Identifier: Apache-2.0
package import Files
internal import OAuth
internal import Redaction

/// The folder of the device's own keys. Each file holds the key itself or, if the device has a TPM, data that only this
/// TPM can use.
package struct KeyStore: Sendable {
    package let directory: Directory
    /// The device's TPM; nil if its keys are files.
    package let platform: (any TrustedPlatform)?

    package init(directory: Directory, platform: (any TrustedPlatform)?) {
        (self.directory, self.platform) = (directory, platform)
    }

    /// The suffix of the names of files whose content only the TPM can use.
    package static let platformSuffix = ".tpm"

    /// Returns the TPM, for a file of this store that needs it.
    ///
    /// - Throws: ``TrustedPlatformFailure`` if the device was set up with a TPM but no TPM is configured.
    func requirePlatform() throws(TrustedPlatformFailure) -> any TrustedPlatform {
        guard let platform else {
            throw .unavailable(cause: "this device's keys are in a TPM, but batond.json names no TPM")
        }
        return platform
    }

    /// Whether the store has a key in the TPM.
    func usesPlatform() throws(FileError) -> Bool {
        try directory.names().contains { $0.hasSuffix(Self.platformSuffix) }
    }

    /// Reads the TPM key in the file `name`; nil if there is no such file.
    ///
    /// - Throws: ``DeviceStateDamaged`` if the file does not hold a key of this kind, ``KeyFileExposed``,
    ///   ``FileError``.
    func platformKey(_ name: String, _ kind: TPMKey.Kind) throws -> TPMKey? {
        guard let content = try KeyFile.read(name, in: directory) else { return nil }
        guard let key = try? JSONCodec.read(TPMKey.self, content.withBytes { Array(copying: $0) }),
            key.kind == kind, (try? key.verification()) != nil
        else { throw DeviceStateDamaged(file: name) }
        return key
    }

    /// Makes a key in the TPM, and writes the key's file.
    func makePlatformKey(_ name: String, _ kind: TPMKey.Kind) throws -> TPMKey {
        let key = try requirePlatform().makeKey(kind)
        try directory.file(name).replace(with: try JSONCodec.bytes(key), mode: 0o600)
        return key
    }

    /// Whether new keys are made in the TPM. An existing ``SealingKey`` moves into the TPM when it is opened.
    ///
    /// - Throws: ``TrustedPlatformFailure`` if the device was set up with a TPM but no TPM is configured, because a key
    ///   in a file would be weaker.
    func makesPlatformKeys() throws -> Bool {
        if platform != nil { return true }
        if try usesPlatform() { _ = try requirePlatform() }
        return false
    }
}
