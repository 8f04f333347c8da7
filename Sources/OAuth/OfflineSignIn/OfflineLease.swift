// SPDX-License-Identifier: Apache-2.0

/// The organisation's signed permission for one worker to sign in on one device while the server is unreachable.
///
/// The lease identifies the worker and grants no token. It contains the data that the device needs to decide without
/// the server: when the permission ends, and which credentials are accepted.
package struct OfflineLease: Sendable, Equatable {
    /// The worker for whom the lease was issued, as reported to apps.
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

    /// The credentials that a worker may use.
    package enum Credential: String, Sendable, CaseIterable {
        case password
        /// A PIN for this device, protected by the TPM's lock-out.
        case pin
        /// A PIN that is accepted even on a device without a TPM. Anyone who copies the disk can guess the PIN without
        /// limit.
        case pinWithoutTPM = "pin-without-tpm"
    }

    /// The limits of a lease. The lease ends as soon as the first limit is reached.
    package struct Limits: Sendable, Equatable {
        /// How many seconds the device may be powered on after it received the lease.
        package let poweredSeconds: Int
        /// How many times the device may boot after it received the lease.
        package let boots: Int
        /// The number of consecutive wrong attempts after which the device erases the lease.
        package let attempts: Int

        package init(poweredSeconds: Int, boots: Int, attempts: Int) {
            (self.poweredSeconds, self.boots, self.attempts) = (poweredSeconds, boots, attempts)
        }
    }

    /// A random id that server and device use for the lease.
    package let id: String
    package let tenant: String
    package let device: String
    package let person: Person
    /// Seconds since 1970 by the server's clock.
    package let issued: Int
    /// When the lease expires by the wall clock, in seconds since 1970.
    package let ends: Int
    package let limits: Limits
    package let credentials: Set<Credential>
    /// The password verifier; nil if the password may not be used.
    package let password: OfflinePassword?
    /// The worker's pseudonyms in receipts. Each session uses the next pseudonym; after the last pseudonym, the first
    /// is used again.
    package let receiptSubjects: [String]

    package init(
        id: String, tenant: String, device: String, person: Person, issued: Int, ends: Int, limits: Limits,
        credentials: Set<Credential>, password: OfflinePassword?, receiptSubjects: [String]
    ) {
        (self.id, self.tenant, self.device, self.person) = (id, tenant, device, person)
        (self.issued, self.ends, self.limits, self.credentials) = (issued, ends, limits, credentials)
        (self.password, self.receiptSubjects) = (password, receiptSubjects)
    }

    /// The `aud` of every lease. No other token has this audience, and a token without it is not a lease.
    package static let audience = "urn:baton:offline-lease"
    /// The `typ` in the header (RFC 7515 section 4.1.9).
    package static let type = "baton-offline-lease+jwt"
}
