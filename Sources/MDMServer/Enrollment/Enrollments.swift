// SPDX-License-Identifier: Apache-2.0
internal import Storage

typealias EnrollmentID = ForeignID<Enrollment>

/// One identity of one device, from the issue of the profile that carries it to its end.
struct Enrollment: Sendable {
    /// Where an enrollment stands.
    enum State: String, ColumnValue {
        /// The profile exists; no device has used it.
        case issued
        /// Made for a device in place of the identity that it has; both live until the device has used this one.
        case renewing
        /// A device has shown the certificate; it is bound to that device for good.
        case bound
        /// The device left, was removed, or has another one: the certificate is worth nothing any more.
        case ended
    }

    let id: EnrollmentID
    let name: String
    let state: State
    let udid: UDID?
    /// The UDID of a device that it may take over from another enrollment.
    let takesOver: UDID?
    let createdAt: Timestamp
    /// Until when the profile can be used; from its first use on, until when the identity is good.
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

    /// The enrollment of a certificate, also one that has ended.
    func find(fingerprint: CertificateFingerprint) throws -> Enrollment? {
        try connection.record(Enrollment.self, "WHERE tenant = \(tenant) AND fingerprint = \(fingerprint)")
    }

    /// The living enrollment of a certificate.
    ///
    /// - Throws: ``DeviceRefusal`` `unrecognized` where there is none, or it has ended or expired.
    func living(fingerprint: CertificateFingerprint, now: Timestamp) throws -> Enrollment {
        guard let enrollment = try find(fingerprint: fingerprint), enrollment.isLiving(at: now) else {
            throw DeviceRefusal.unrecognized
        }
        return enrollment
    }

    /// All that live, the newest first.
    func all(now: Timestamp) throws -> [Enrollment] {
        try connection.records(
            Enrollment.self,
            """
            WHERE tenant = \(tenant) AND state <> \(Enrollment.State.ended) AND expiresAt > \(now)
            ORDER BY createdAt DESC, id
            """)
    }

    /// The identity that a device uses; nil where none is good any more.
    func bound(udid: UDID, now: Timestamp) throws -> Enrollment? {
        try connection.record(
            Enrollment.self,
            """
            WHERE tenant = \(tenant) AND udid = \(udid) AND state = \(Enrollment.State.bound) AND expiresAt > \(now) LIMIT 1
            """)
    }

    /// Whether a device has, or lately had, an identity beside the one with that id.
    func hasAnother(udid: UDID, than id: EnrollmentID, since time: Timestamp) throws -> Bool {
        try connection.exists(
            Enrollment.self,
            """
            WHERE tenant = \(tenant) AND udid = \(udid) AND id <> \(id)
                AND (state = \(Enrollment.State.renewing) OR createdAt > \(time))
            """)
    }

    /// Gives an enrollment to the device that used it, for as long as the identity is good.
    func bind(_ id: EnrollmentID, to udid: UDID, until expiresAt: Timestamp) throws {
        try connection.execute(
            """
            UPDATE enrollment SET state = \(Enrollment.State.bound), udid = \(udid), expiresAt = \(expiresAt)
            WHERE tenant = \(tenant) AND id = \(id)
            """)
    }

    /// The device has used its new identity: the older one is worth nothing from here.
    func confirm(_ enrollment: Enrollment) throws {
        guard enrollment.state == .renewing, let udid = enrollment.udid else { return }
        try bind(enrollment.id, to: udid, until: enrollment.expiresAt)
        try end(udid: udid, except: enrollment.id)
        try connection.execute(
            "UPDATE device SET enrollment = \(enrollment.id) WHERE tenant = \(tenant) AND udid = \(udid)")
    }

    /// The device refused the command that brings a new identity: it keeps the one that it has.
    func abandon(renewalCommand: CommandUUID, udid: UDID) throws {
        try connection.execute(
            """
            UPDATE enrollment SET state = \(Enrollment.State.ended)
            WHERE tenant = \(tenant) AND udid = \(udid) AND state = \(Enrollment.State.renewing)
                AND renewalCommand = \(renewalCommand)
            """)
    }

    /// Ends every enrollment of a device but one.
    func end(udid: UDID, except id: EnrollmentID? = nil) throws {
        try connection.execute(
            """
            UPDATE enrollment SET state = \(Enrollment.State.ended)
            WHERE tenant = \(tenant) AND udid = \(udid) AND id <> \(id?.rawValue ?? "")
            """)
    }

    /// Ends an enrollment that no device has used.
    ///
    /// - Returns: whether there was such a one.
    func revoke(_ id: EnrollmentID) throws -> Bool {
        try connection.execute(
            """
            UPDATE enrollment SET state = \(Enrollment.State.ended)
            WHERE tenant = \(tenant) AND id = \(id) AND state = \(Enrollment.State.issued)
            """) > 0
    }
}
