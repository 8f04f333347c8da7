// SPDX-License-Identifier: Apache-2.0
import DeviceKeyStore
import DeviceSettings
import TPM

extension SupervisorConfiguration {
    /// The TPM that the configuration names; nil if it names none. Making the value does not access the TPM.
    var platform: (any TrustedPlatform)? {
        tpm.map { TrustedPlatformModule($0, lock: directory + "/tpm.lock") }
    }
}
