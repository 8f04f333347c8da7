// SPDX-License-Identifier: Apache-2.0
package import Storage

package typealias BreakGlassID = ID<BreakGlassGrant>

/// A directory role that a person has for a short time, granted by the operator of a node in an emergency.
package struct BreakGlassGrant: Record {
    package let tenant: TenantID
    package let id: BreakGlassID
    package let person: UserID
    package let role: RoleID
    package let reason: String
    package let grantedBy: String
    package let begun: Timestamp
    package let expires: Timestamp
    /// When the grant was revoked or was found to have expired. Nil does not mean that the grant is still active: it
    /// may have expired without being recorded as ended yet.
    package let ended: Timestamp?

    package static let table = "breakGlass"
    package enum Column: String, ColumnName {
        case tenant, id, person, role, reason, grantedBy, begun, expires, ended
    }

    package init(_ row: TableRow<BreakGlassGrant>) throws {
        (tenant, id) = (try row[.tenant], try row[.id])
        (person, role, reason) = (try row[.person], try row[.role], try row[.reason])
        grantedBy = try row[.grantedBy]
        (begun, expires, ended) = (try row[.begun], try row[.expires], try row[.ended])
    }

    /// Whether the person has the role at this time.
    package func isActive(at time: Timestamp) -> Bool { ended == nil && time < expires }

    /// The grant's subject in the audit log: the grant's id and the person's id.
    var subject: String { "\(id) \(person)" }
}

/// Access to the break-glass grants in one transaction.
struct BreakGlassGrants {
    private let connection: any Connection

    init(_ connection: any Connection) { self.connection = connection }

    /// Returns the grants that give a person a role at this time.
    ///
    /// - Throws: ``StorageError``
    func active(of person: UserID, tenant: TenantID, at time: Timestamp) throws -> [BreakGlassGrant] {
        try connection.records(
            BreakGlassGrant.self, "WHERE tenant = \(tenant) AND person = \(person) AND ended IS NULL ORDER BY id"
        ).filter { $0.isActive(at: time) }
    }

    /// Returns an organisation's grants, the newest first.
    ///
    /// - Throws: ``StorageError``
    func newest(_ count: Int, tenant: TenantID) throws -> [BreakGlassGrant] {
        try connection.records(
            BreakGlassGrant.self, "WHERE tenant = \(tenant) ORDER BY begun DESC, id LIMIT \(count)")
    }

    func find(_ id: BreakGlassID, tenant: TenantID) throws -> BreakGlassGrant? {
        try connection.record(BreakGlassGrant.self, "WHERE tenant = \(tenant) AND id = \(id)")
    }

    /// Returns the end times of those grants on the server that are active at this time.
    ///
    /// - Throws: ``StorageError``
    func ends(at time: Timestamp, tenant: TenantID? = nil) throws -> [Timestamp] {
        let ofTenant: SQL = tenant.map { " AND tenant = \($0)" } ?? ""
        return try connection.values(
            .expires, of: BreakGlassGrant.self, "WHERE ended IS NULL AND expires > \(time)\(ofTenant)")
    }

    /// Returns when break-glass access was last granted in any organisation; nil if no grant is stored.
    ///
    /// - Throws: ``StorageError``
    func lastBegin() throws -> Timestamp? {
        let times: [Timestamp] = try connection.values(
            .begun, of: BreakGlassGrant.self, "ORDER BY begun DESC LIMIT 1")
        return times.first
    }

    /// Adds a grant.
    ///
    /// - Throws: ``StorageError``
    func add(
        _ id: BreakGlassID, _ role: DirectoryRole, to user: User, reason: String, by grantedBy: String,
        from begun: Timestamp, to expires: Timestamp
    ) throws {
        try connection.insert(
            into: BreakGlassGrant.self,
            [
                .tenant: user.tenant, .id: id, .person: user.id, .role: role.id, .reason: reason,
                .grantedBy: grantedBy, .begun: begun, .expires: expires,
            ])
    }

    /// Ends a grant and writes the audit entry. If the grant has ended already, nothing happens.
    ///
    /// - Returns: false if the grant had already ended.
    /// - Throws: ``StorageError``
    @discardableResult
    func end(_ grant: BreakGlassGrant, at time: Timestamp, outcome: String, by actor: String) throws -> Bool {
        let isEnded =
            try connection.execute(
                """
                UPDATE breakGlass SET ended = \(time)
                WHERE tenant = \(grant.tenant) AND id = \(grant.id) AND ended IS NULL
                """) == 1
        guard isEnded else { return false }
        try AuditLog(connection).append(
            AuditLine(
                .breakGlassEnded, tenant: grant.tenant, actor: actor, subject: grant.subject, outcome: outcome, at: time
            ))
        return true
    }

    /// Records in the audit log that a grant was used. Uses of the same kind within ten minutes share one line.
    ///
    /// - Throws: ``StorageError``
    func recordUse(_ grant: BreakGlassGrant, for purpose: String, at time: Timestamp) throws {
        try AuditLog(connection).appendOrCount(
            AuditLine(
                .breakGlassUsed, tenant: grant.tenant, actor: grant.person.rawValue, subject: "\(grant.id) \(purpose)",
                outcome: "done", at: time))
    }
}

enum BreakGlassSchema {
    static let migrations = [
        Migration(
            "break-glass",
            [
                """
                CREATE TABLE breakGlass (
                    tenant TEXT NOT NULL, id TEXT NOT NULL, person TEXT NOT NULL, role TEXT NOT NULL,
                    reason TEXT NOT NULL, grantedBy TEXT NOT NULL, begun BIGINT NOT NULL, expires BIGINT NOT NULL,
                    ended BIGINT, PRIMARY KEY (tenant, id),
                    FOREIGN KEY (tenant, person) REFERENCES person (tenant, id) ON DELETE CASCADE)
                """,
                "CREATE INDEX breakGlassByPerson ON breakGlass (tenant, person)",
                "CREATE INDEX breakGlassOpen ON breakGlass (expires) WHERE ended IS NULL",
            ])
    ]
}
