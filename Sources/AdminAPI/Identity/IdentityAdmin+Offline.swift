// SPDX-License-Identifier: Apache-2.0

extension IdentityAdmin {
    /// The setting for offline sign-in: whether workers may sign in at shared devices while the server is unreachable.
    package struct Offline: Codable, Sendable, Equatable {
        /// Nil if offline sign-in is not allowed.
        package let rules: OfflineRules?

        package init(rules: OfflineRules?) { self.rules = rules }
    }

    /// The accepted credentials, and how long offline sign-in works after the last sign-in with the server.
    package struct OfflineRules: Codable, Sendable, Equatable {
        /// `password`, `pin`, `pin-without-tpm`.
        package let credentials: [String]
        /// Seconds of wall-clock time.
        package let wallSeconds: Int
        /// Seconds that the device is powered on.
        package let poweredSeconds: Int
        /// Number of times that the device boots.
        package let boots: Int
        /// Number of consecutive wrong attempts.
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
