// SPDX-License-Identifier: Apache-2.0

/// How many offline leases a device holds. It contains nothing about their owners.
package struct LeaseCount: Sendable, Codable, Equatable {
    /// The number of valid leases.
    package let leases: Int
    /// The number of leases with a PIN.
    package let pins: Int
    /// The number of leases whose PIN is not kept by a TPM.
    package let pinsInFiles: Int
    /// Whether anyone may begin a session with a lease; false while the clock is set back.
    package let mayBegin: Bool

    /// Whether a worker can sign in with a lease.
    package var allowsSignIn: Bool { leases > 0 && mayBegin }

    package init(leases: Int, pins: Int, pinsInFiles: Int, mayBegin: Bool) {
        (self.leases, self.pins, self.pinsInFiles, self.mayBegin) = (leases, pins, pinsInFiles, mayBegin)
    }
}
