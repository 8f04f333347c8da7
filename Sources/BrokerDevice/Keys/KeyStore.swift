// SPDX-License-Identifier: Apache-2.0
package import Files

/// Where the device's own keys are: a folder of files, each of which is the key itself or, where the device has a TPM, what
/// only that TPM can use.
package struct KeyStore: Sendable {
    package let directory: Directory
    /// The device's chip; nil where its keys are files.
    package let platform: (any TrustedPlatform)?

    package init(directory: Directory, platform: (any TrustedPlatform)?) {
        (self.directory, self.platform) = (directory, platform)
    }

    /// What ends the name of a file that only the chip can use.
    package static let platformSuffix = ".tpm"

    /// The chip, which a file of this store needs.
    ///
    /// - Throws: ``TrustedPlatformFailure`` where the device was set up with one, and is told of none.
    func requirePlatform() throws(TrustedPlatformFailure) -> any TrustedPlatform {
        guard let platform else {
            throw .unavailable(cause: "this device's keys are in a TPM, and batond.json names none")
        }
        return platform
    }

    /// Whether a key is one of the chip's.
    func usesPlatform() throws(FileError) -> Bool {
        try directory.names().contains { $0.hasSuffix(Self.platformSuffix) }
    }
}
