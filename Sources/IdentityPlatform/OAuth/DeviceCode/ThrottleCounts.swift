// SPDX-License-Identifier: Apache-2.0
internal import Storage

/// Limits requests at the endpoints for device codes and for applications. A request is allowed only if every count allows it. All counts are
/// updated in one transaction.
struct ThrottleCounts {
    /// A count, and the rate that it allows.
    struct Count {
        let kind: Kind
        /// The counted person or address; stored only as a keyed hash.
        let key: [UInt8]
        let rule: ThrottleRule
    }

    enum Kind: String, ColumnValue {
        case deviceCodesOfAddress, deviceCodesWhenScarce
        case userCodesOfAddress, userCodesOfPerson
        case userCodesOfStrangers, userCodesOfPeople
        case failedAssertions
    }

    let connection: any Connection
    let tenant: TenantID
    let storageKey: StorageKey
    let counts: [Count]

    /// Whether every count allows one more request.
    func admit(at now: Timestamp) throws -> Bool { try next(at: now) != nil }

    /// Adds one request to every count.
    ///
    /// - Returns: false if any count does not allow the request. In that case no count changes.
    func add(at now: Timestamp) throws -> Bool {
        guard let next = try next(at: now) else { return false }
        for (count, drained) in next { try set(count, drained: drained) }
        return true
    }

    /// Returns the counts after one more request; nil if any of them does not allow it.
    private func next(at now: Timestamp) throws -> [(Count, Timestamp)]? {
        var all: [(Count, Timestamp)] = []
        for count in counts {
            guard let next = count.rule.counting(try drained(count, at: now), at: now) else { return nil }
            all.append((count, next))
        }
        return all
    }

    /// Returns the time at which the count will be zero again; nil if the count is zero now.
    private func drained(_ count: Count, at now: Timestamp) throws -> Timestamp? {
        try connection.value(
            .drained, of: ThrottleCount.self,
            "WHERE tenant = \(tenant) AND kind = \(count.kind) AND hash = \(hash(count)) AND expires > \(now)")
    }

    private func set(_ count: Count, drained: Timestamp) throws {
        try connection.upsert(
            into: ThrottleCount.self, key: [.tenant, .kind, .hash],
            [.tenant: tenant, .kind: count.kind, .hash: hash(count), .drained: drained, .expires: drained])
    }

    private func hash(_ count: Count) -> [UInt8] { storageKey.derived("throttled \(count.kind.rawValue)", count.key) }
}
