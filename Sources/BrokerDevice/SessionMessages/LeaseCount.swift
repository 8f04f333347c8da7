// SPDX-License-Identifier: Apache-2.0

/// What a device holds of offline leases, in numbers: nothing of whose they are.
package struct LeaseCount: Sendable, Codable, Equatable {
    /// Leases that hold.
    package let leases: Int
    /// Those with a PIN.
    package let pins: Int
    /// Those whose PIN no TPM keeps.
    package let pinsInFiles: Int
    /// Whether anybody may begin by one: not while the clock is set back.
    package let mayBegin: Bool

    package init(leases: Int, pins: Int, pinsInFiles: Int, mayBegin: Bool) {
        (self.leases, self.pins, self.pinsInFiles, self.mayBegin) = (leases, pins, pinsInFiles, mayBegin)
    }
}
