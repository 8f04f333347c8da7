// SPDX-License-Identifier: Apache-2.0
internal import FoundationEssentials
package import OAuth

/// A lease that the device holds, with the device's records about it.
package struct HeldLease: Sendable, Equatable {
    package let lease: OfflineLease
    var record: Record

    /// The content of the lease's sealed file.
    struct Record: Codable, Equatable {
        /// The signed lease.
        let token: String
        /// The organisation's key that signed the lease, as a JWK.
        let key: String
        /// The position in the record of time at which the device received the lease.
        let since: OfflineTime.Mark
        /// The number of attempts since the last correct attempt. It includes attempts that were not judged because of
        /// a crash or an error.
        var attempts = 0
        /// The number of receipt pseudonyms that were used.
        var subjectsUsed = 0
        /// The verifier of the worker's PIN; nil if the worker has set no PIN.
        var pin: OfflinePIN?
    }

    /// Reads a record and checks the lease's signature.
    ///
    /// - Throws: ``JOSEFailure``, ``MembersFailure``.
    init(_ record: Record) throws {
        let key = try JSONWebKey(Members(decoding: Array(record.key.utf8))).verificationKey()
        lease = try OfflineLease(record.token, signedBy: key)
        self.record = record
    }

    /// Whether the lease was issued for the device with this id.
    func isFor(device: String) -> Bool { lease.device.lowercased() == device.lowercased() }

    /// The next pseudonym for receipts. After the last pseudonym, the first pseudonym is used again.
    package var nextSubject: String? {
        guard !lease.receiptSubjects.isEmpty else { return nil }
        return lease.receiptSubjects[record.subjectsUsed % lease.receiptSubjects.count]
    }

    /// Whether no attempt is left.
    var isUsedUp: Bool { record.attempts >= lease.limits.attempts }
}
