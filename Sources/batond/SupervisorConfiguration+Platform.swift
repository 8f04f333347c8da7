// SPDX-License-Identifier: Apache-2.0
import BrokerDevice
import TPM

extension SupervisorConfiguration {
    /// The chip that the configuration names; it is not accessed here.
    var platform: (any TrustedPlatform)? {
        tpm.map { TrustedPlatformModule($0, lock: directory + "/tpm.lock") }
    }
}
