// SPDX-License-Identifier: Apache-2.0
internal import AdminServer
internal import Storage

typealias EnrollmentID = ForeignID<Enrollment>

/// One identity of one device, from the creation of its profile to its end.
struct Enrollment: Sendable {
    /// The state of an enrollment.
    enum State: String, ColumnValue {
        /// The profile exists; no device has used it.
        case issued
        /// A replacement for a device's current identity. Both identities are valid until the device uses the new one.
        case renewing
        /// A device has used the certificate. The enrollment is permanently bound to that device.
        case bound
        /// The device left, was removed, or has a different identity. The certificate is no longer valid.
        case ended
    }

    let id: EnrollmentID
    let name: String
    let state: State
    let udid: UDID?
    /// The UDID of a device that this enrollment may take over from a different enrollment.
    let takesOver: UDID?
    let createdAt: Timestamp
    /// When the profile expires if no device uses it; after the first use, when the identity expires.
    let expiresAt: Timestamp

    func isLiving(at now: Timestamp) -> Bool { state != .ended && now < expiresAt }
}

extension Enrollment: Record {
    static let table = "enrollment"
    static let unread: Set<Column> = [.fingerprint, .renewalCommand]

    enum Column: String, ColumnName {
        case tenant, id, name, fingerprint, state, udid, takesOver, renewalCommand, createdAt, expiresAt
    }

    init(_ row: TableRow<Enrollment>) throws {
        self.init(
            id: try row[.id], name: try row[.name], state: try row[.state], udid: try row[.udid],
            takesOver: try row[.takesOver], createdAt: try row[.createdAt], expiresAt: try row[.expiresAt])
    }
}

/// The enrollments of one tenant.
struct Enrollments {
    let connection: any Connection
    let tenant: TenantID

    func insert(_ enrollment: Enrollment, fingerprint: CertificateFingerprint, renewalCommand: CommandUUID? = nil)
        throws
    {
        try connection.insert(
            into: Enrollment.self,
            [
                .tenant: tenant, .id: enrollment.id, .name: enrollment.name, .fingerprint: fingerprint,
                .state: enrollment.state, .udid: enrollment.udid, .takesOver: enrollment.takesOver,
                .renewalCommand: renewalCommand, .createdAt: enrollment.createdAt, .expiresAt: enrollment.expiresAt,
            ])
    }

    /// Returns an enrollment, even if it has ended.
    func find(_ id: EnrollmentID) throws -> Enrollment? {
        try connection.record(Enrollment.self, "WHERE tenant = \(tenant) AND id = \(id)")
    }

    /// Returns the enrollment of a certificate, even if it has ended.
    func find(fingerprint: CertificateFingerprint) throws -> Enrollment? {
        try connection.record(Enrollment.self, "WHERE tenant = \(tenant) AND fingerprint = \(fingerprint)")
    }

    /// Returns the active enrollment of a certificate.
    ///
    /// - Throws: ``DeviceRefusal`` `unrecognized` if there is none, or if it has ended or expired.
    func living(fingerprint: CertificateFingerprint, now: Timestamp) throws -> Enrollment {
        guard let enrollment = try find(fingerprint: fingerprint), enrollment.isLiving(at: now) else {
            throw DeviceRefusal.unrecognized
        }
        return enrollment
    }

    /// Returns all active enrollments, the newest first.
    func all(now: Timestamp, on page: PageRequest) throws -> [Enrollment] {
        var later: SQL = ""
        if let after = page.after {
            guard let key = NamedItemKey(after), let created = Int64(key.name) else { throw PageRequest.unknownPlace }
            later = "AND (createdAt < \(created) OR (createdAt = \(created) AND id > \(key.id)))"
        }
        return try connection.records(
            Enrollment.self,
            """
            WHERE tenant = \(tenant) AND state <> \(Enrollment.State.ended) AND expiresAt > \(now) \(later)
            ORDER BY createdAt DESC, id LIMIT \(page.limit + 1)
            """)
    }

    /// Returns the enrollment that the device uses; nil if the device has no valid enrollment.
    func bound(udid: UDID, now: Timestamp) throws -> Enrollment? {
        try connection.record(
            Enrollment.self,
            """
            WHERE tenant = \(tenant) AND udid = \(udid) AND state = \(Enrollment.State.bound) AND expiresAt > \(now) LIMIT 1
            """)
    }

    /// Returns whether the device has a renewal pending, or another enrollment created after `time`.
    func hasAnother(udid: UDID, than id: EnrollmentID, since time: Timestamp) throws -> Bool {
        try connection.exists(
            Enrollment.self,
            """
            WHERE tenant = \(tenant) AND udid = \(udid) AND id <> \(id)
                AND (state = \(Enrollment.State.renewing) OR createdAt > \(time))
            """)
    }

    /// Binds an enrollment to the device that used it, for as long as the identity is valid.
    func bind(_ id: EnrollmentID, to udid: UDID, until expiresAt: Timestamp) throws {
        try connection.execute(
            """
            UPDATE enrollment SET state = \(Enrollment.State.bound), udid = \(udid), expiresAt = \(expiresAt)
            WHERE tenant = \(tenant) AND id = \(id)
            """)
    }

    /// Completes a renewal when the device uses its new identity: ends the device's other enrollments.
    func confirm(_ enrollment: Enrollment) throws {
        guard enrollment.state == .renewing, let udid = enrollment.udid else { return }
        try bind(enrollment.id, to: udid, until: enrollment.expiresAt)
        try end(udid: udid, except: enrollment.id)
        try connection.execute(
            "UPDATE device SET enrollment = \(enrollment.id) WHERE tenant = \(tenant) AND udid = \(udid)")
    }

    /// Cancels a renewal whose command the device refused. The device keeps its current identity.
    func abandon(renewalCommand: CommandUUID, udid: UDID) throws {
        try connection.execute(
            """
            UPDATE enrollment SET state = \(Enrollment.State.ended)
            WHERE tenant = \(tenant) AND udid = \(udid) AND state = \(Enrollment.State.renewing)
                AND renewalCommand = \(renewalCommand)
            """)
    }

    /// Ends every enrollment of a device, except the given one.
    ///
    /// - Returns: whether there was one that had not ended.
    @discardableResult
    func end(udid: UDID, except id: EnrollmentID? = nil) throws -> Bool {
        try connection.execute(
            """
            UPDATE enrollment SET state = \(Enrollment.State.ended)
            WHERE tenant = \(tenant) AND udid = \(udid) AND id <> \(id?.rawValue ?? "")
                AND state <> \(Enrollment.State.ended)
            """) > 0
    }

    /// Ends an enrollment that no device has used.
    ///
    /// - Returns: whether there was such an enrollment.
    func revoke(_ id: EnrollmentID) throws -> Bool {
        try connection.execute(
            """
            UPDATE enrollment SET state = \(Enrollment.State.ended)
            WHERE tenant = \(tenant) AND id = \(id) AND state = \(Enrollment.State.issued)
            """) > 0
    }
}
