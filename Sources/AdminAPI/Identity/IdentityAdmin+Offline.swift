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
        /// How long a lease is valid, in seconds of wall-clock time.
        package let wallSeconds: Int
        /// How many seconds the device may be powered on before a lease ends.
        package let poweredSeconds: Int
        /// How many times the device may boot before a lease ends.
        package let boots: Int
        /// The number of consecutive wrong attempts after which the device erases a lease.
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

/// The operations on offline sign-in.
extension IdentityAdmin {
    package static let getOfflineSignIn = Endpoint<Empty, Offline>(
        "getOfflineSignIn", .get("/identity/tenants/{tenant}/offline-sign-in"),
        by: .roles(
            .globalAdministrator, .globalReader, .cloudDeviceAdministrator, .authenticationAdministrator,
            permission: "Organization.Read.All"),
        effect: .reading,
        summary: "Returns the setting for offline sign-in.")

    package static let setOfflineSignIn = Endpoint<Offline, Empty>(
        "setOfflineSignIn", .put("/identity/tenants/{tenant}/offline-sign-in"),
        by: .roles(.globalAdministrator, permission: "Organization.ReadWrite.All"),
        effect: .change("offline.on", "offline.off", "offline.pin-without-tpm"),
        errors: ["identity.offline.rules"],
        summary: "Sets whether and how workers may sign in offline.",
        details:
            "The credentials are `password`, `pin` and `pin-without-tpm`. `rules` that are null or missing turn it "
            + "off. A change withdraws every lease.")
}
