// SPDX-License-Identifier: Apache-2.0

extension AuditLog {
    /// The lines of a period, in the order of their times. Each call of ``next()`` reads one page, so a long log is
    /// never in memory as a whole. A line that is written meanwhile is on a later page if it is in the period.
    package struct Pages: Sendable {
        private let database: any Database
        private let tenant: TenantID
        private let period: AuditPeriod
        private var last: (time: Timestamp, position: Int64)
        private var isComplete = false

        /// The number of lines on a page.
        package static let size = 1000

        package init(_ database: any Database, tenant: TenantID, in period: AuditPeriod = AuditPeriod()) {
            (self.database, self.tenant, self.period) = (database, tenant, period)
            last = (period.from, .min)
        }

        /// Returns the next page; nil if there are no more lines.
        ///
        /// - Throws: ``StorageError``
        package mutating func next() async throws -> [AuditEntry]? {
            guard !isComplete else { return nil }
            let page = try await database.read { [self] connection in
                try connection.records(
                    AuditEntry.self,
                    """
                    WHERE tenant = \(tenant) AND time >= \(last.time) AND time < \(period.to)
                        AND (time > \(last.time) OR position > \(last.position))
                    ORDER BY time, position LIMIT \(Self.size)
                    """)
            }
            isComplete = page.count < Self.size
            if let end = page.last { last = (end.time, end.position) }
            return page.isEmpty ? nil : page
        }
    }

    /// In these lines, replaces an id wherever it is the actor or a part of the subject, and removes the clients'
    /// addresses.
    ///
    /// - Throws: ``StorageError``
    package func replace(_ id: String, with other: String, in entries: [AuditEntry], tenant: TenantID) throws {
        for entry in entries {
            let subject = entry.subject.map { subject in
                subject.split(separator: " ").map { $0 == id ? other : String($0) }.joined(separator: " ")
            }
            try connection.execute(
                """
                UPDATE audit SET actor = \(entry.actor == id ? other : entry.actor), subject = \(subject),
                    clientAddress = NULL
                WHERE tenant = \(tenant) AND position = \(entry.position)
                """)
        }
    }
}

/// A period of an audit log. The period includes its beginning but not its end.
package struct AuditPeriod: Sendable {
    package let from: Timestamp
    package let to: Timestamp

    package init(
        from: Timestamp = Timestamp(rawValue: 0), to: Timestamp = Timestamp(rawValue: .max)
    ) {
        (self.from, self.to) = (from, to)
    }
}

extension AuditEntry {
    /// Returns whether an id is the actor or a part of the subject.
    package func names(_ id: String) -> Bool {
        actor == id || subject?.split(separator: " ").contains { $0 == id } == true
    }
}
