// SPDX-License-Identifier: Apache-2.0
internal import FoundationEssentials
package import OAuth

/// A lease that the device holds, with what it has to remember of it.
package struct HeldLease: Sendable, Equatable {
    package let lease: OfflineLease
    var record: Record

    /// What stands in the lease's sealed file.
    struct Record: Codable, Equatable {
        /// The signed lease.
        let token: String
        /// The organisation's key that signed it, a JWK.
        let key: String
        /// The account of time when the device was given it.
        let since: OfflineTime.Mark
        /// Attempts that were wrong, or were never judged, since the last right one.
        var attempts = 0
        /// Names for receipts that were used.
        var subjectsUsed = 0
        /// How the worker's PIN is known; nil where they have set none.
        var pin: OfflinePIN?
    }

    /// Reads a record; the signature is checked each time.
    ///
    /// - Throws: ``JOSEFailure``, ``MembersFailure``.
    init(_ record: Record) throws {
        let key = try JSONWebKey(Members(decoding: Array(record.key.utf8))).verificationKey()
        lease = try OfflineLease(record.token, signedBy: key)
        self.record = record
    }

    /// Whether it is for the device of that id.
    func isFor(device: String) -> Bool { lease.device.lowercased() == device.lowercased() }

    /// The next name for receipts; the first ones come again when all were used.
    package var nextSubject: String? {
        guard !lease.receiptSubjects.isEmpty else { return nil }
        return lease.receiptSubjects[record.subjectsUsed % lease.receiptSubjects.count]
    }

    /// Whether no attempt is left.
    var isUsedUp: Bool { record.attempts >= lease.limits.attempts }
}
