// SPDX-License-Identifier: Apache-2.0

/// The organisation's signed leave for one worker to sign in at one device while the server cannot be reached.
///
/// It proves who they are and gives no token. It names what the device needs to judge alone: when the leave ends, and how the
/// worker may be known again.
package struct OfflineLease: Sendable, Equatable {
    /// Whom the lease is for, as apps are told.
    package struct Person: Sendable, Equatable {
        /// The object id.
        package let id: String
        /// The user principal name.
        package let userName: String
        package let displayName: String
        package let givenName: String?
        package let familyName: String?

        package init(id: String, userName: String, displayName: String, givenName: String?, familyName: String?) {
            (self.id, self.userName, self.displayName) = (id, userName, displayName)
            (self.givenName, self.familyName) = (givenName, familyName)
        }
    }

    /// By what a worker may be known again.
    package enum Credential: String, Sendable, CaseIterable {
        case password
        /// A PIN of the device, under the lock-out of its TPM.
        case pin
        /// A PIN also where there is no TPM: whoever copies the disk may guess on.
        case pinWithoutTPM = "pin-without-tpm"
    }

    /// How long the lease holds; the first end of all counts.
    package struct Limits: Sendable, Equatable {
        /// Seconds that the device may have been powered on since it was given the lease.
        package let poweredSeconds: Int
        /// How often it may have been started since.
        package let boots: Int
        /// Wrong attempts in a row after which the device erases the lease.
        package let attempts: Int

        package init(poweredSeconds: Int, boots: Int, attempts: Int) {
            (self.poweredSeconds, self.boots, self.attempts) = (poweredSeconds, boots, attempts)
        }
    }

    /// A random number by which server and device name it.
    package let id: String
    package let tenant: String
    package let device: String
    package let person: Person
    /// Seconds since 1970 by the server's clock.
    package let issued: Int
    /// Its end by the wall clock, in seconds since 1970.
    package let ends: Int
    package let limits: Limits
    package let credentials: Set<Credential>
    /// How the password is known; nil where it may not be used.
    package let password: OfflinePassword?
    /// What receipts call the worker, another name for each session as long as they last.
    package let receiptSubjects: [String]

    package init(
        id: String, tenant: String, device: String, person: Person, issued: Int, ends: Int, limits: Limits,
        credentials: Set<Credential>, password: OfflinePassword?, receiptSubjects: [String]
    ) {
        (self.id, self.tenant, self.device, self.person) = (id, tenant, device, person)
        (self.issued, self.ends, self.limits, self.credentials) = (issued, ends, limits, credentials)
        (self.password, self.receiptSubjects) = (password, receiptSubjects)
    }

    /// The `aud` of every lease: no token of anything else, and nothing else is a lease.
    package static let audience = "urn:baton:offline-lease"
    /// The `typ` of its header (RFC 7515 section 4.1.9).
    package static let type = "baton-offline-lease+jwt"
}
