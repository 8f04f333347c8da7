// SPDX-License-Identifier: Apache-2.0

extension IdentityAdmin {
    /// Whether workers may sign in at shared devices while the server cannot be reached.
    package struct Offline: Codable, Sendable, Equatable {
        /// Nil where they may not.
        package let rules: OfflineRules?

        package init(rules: OfflineRules?) { self.rules = rules }
    }

    /// By what workers are known then, and for how long after their last sign-in with the server.
    package struct OfflineRules: Codable, Sendable, Equatable {
        /// `password`, `pin`, `pin-without-tpm`.
        package let credentials: [String]
        /// Seconds by the wall clock.
        package let wallSeconds: Int
        /// Seconds that the device may be powered on.
        package let poweredSeconds: Int
        /// Starts of the device.
        package let boots: Int
        /// Wrong attempts in a row.
        package let attempts: Int

        package init(credentials: [String], wallSeconds: Int, poweredSeconds: Int, boots: Int, attempts: Int) {
            self.credentials = credentials
            self.wallSeconds = wallSeconds
            self.poweredSeconds = poweredSeconds
            self.boots = boots
            self.attempts = attempts
        }
    }
}
