// SPDX-License-Identifier: Apache-2.0
internal import Storage

/// One use of the server by one device, from the issue of its profile to its end.
struct Enrolment: Sendable {
    /// Where an enrolment stands.
    enum State: String, Sendable {
        /// The profile exists; no device has used it.
        case issued
        /// A device has shown the certificate; it is bound to that device for good.
        case bound
        /// The device left, was removed, or enrolled anew: the certificate is worth nothing any more.
        case ended
    }

    let id: String
    let name: String
    let state: State
    let udid: String?
    let expiresAt: Int64
}

/// The enrolments of one tenant.
struct Enrolments {
    let connection: any Connection
    let tenant: String

    func insert(id: String, name: String, fingerprint: String, now: Int64, expiresAt: Int64) throws {
        try connection.execute(
            """
            INSERT INTO enrolment (tenant, id, name, fingerprint, state, createdAt, expiresAt)
            VALUES (\(tenant), \(id), \(name), \(fingerprint), \(Enrolment.State.issued), \(now), \(expiresAt))
            """)
    }

    /// The living enrolment of a certificate.
    ///
    /// - Throws: ``DeviceRefusal`` `unrecognized` where there is none, or it has ended or expired.
    func living(fingerprint: String, now: Int64) throws -> Enrolment {
        let row = try connection.row(
            """
            SELECT id, name, state, udid, expiresAt FROM enrolment
            WHERE tenant = \(tenant) AND fingerprint = \(fingerprint)
            """)
        guard let row else { throw DeviceRefusal.unrecognized }
        let enrolment = Enrolment(
            id: try row.text(0), name: try row.text(1), state: try row.value(2), udid: try row.optionalText(3),
            expiresAt: try row.integer(4))
        guard enrolment.state != .ended, now < enrolment.expiresAt else { throw DeviceRefusal.unrecognized }
        return enrolment
    }

    func bind(_ id: String, to udid: String) throws {
        try connection.execute(
            """
            UPDATE enrolment SET state = \(Enrolment.State.bound), udid = \(udid) WHERE tenant = \(tenant) AND id = \(id)
            """)
    }

    /// Ends every enrolment of a device but one.
    func end(udid: String, except id: String? = nil) throws {
        try connection.execute(
            """
            UPDATE enrolment SET state = \(Enrolment.State.ended)
            WHERE tenant = \(tenant) AND udid = \(udid) AND id <> \(id ?? "")
            """)
    }
}
