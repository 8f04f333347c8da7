// SPDX-License-Identifier: Apache-2.0
package import Files

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
}
