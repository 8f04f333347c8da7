// SPDX-License-Identifier: Apache-2.0
package import Storage

/// What an organisation decides about devices of a person's own (Graph's `deviceRegistrationPolicy`).
package struct DeviceRegistrationRules: Sendable, Equatable {
    /// Who may do it.
    package enum Membership: Sendable, Equatable {
        case all
        case nobody
        case selected(Set<UserID>)
    }

    /// Who may join a device of their own to the organisation.
    package var join = Membership.all
    /// Who may register one.
    package var register = Membership.all
    /// How many devices of their own a person may have; nil leaves it to the operator's configuration.
    package var quota: Int?

    package static let standard = DeviceRegistrationRules()

    package init(join: Membership = .all, register: Membership = .all, quota: Int? = nil) {
        (self.join, self.register, self.quota) = (join, register, quota)
    }
}

extension DeviceRegistrationRules {
    private enum Act: String { case join, register }
    private enum Word: String { case all, selected, none }

    /// What an organisation has decided; nil where it never did.
    ///
    /// - Throws: ``StorageError``
    package static func of(_ tenant: TenantID, _ connection: any Connection) throws -> DeviceRegistrationRules? {
        let row = try connection.row(
            """
            SELECT allowedToJoin, allowedToRegister, userDeviceQuota FROM deviceRegistrationRules
            WHERE tenant = \(tenant)
            """)
        return try row.map { row in
            DeviceRegistrationRules(
                join: try membership(try row.text(0), .join, tenant, connection),
                register: try membership(try row.text(1), .register, tenant, connection),
                quota: try row.optionalInteger(2).map(Int.init))
        }
    }

    /// Keeps the decision in place of the one before.
    ///
    /// - Throws: ``StorageError``
    package func keep(for tenant: TenantID, _ connection: any Connection) throws {
        try connection.execute(
            """
            INSERT INTO deviceRegistrationRules (tenant, allowedToJoin, allowedToRegister, userDeviceQuota)
            VALUES (\(tenant), \(Self.word(join).rawValue), \(Self.word(register).rawValue), \(quota.map(Int64.init)))
            ON CONFLICT (tenant) DO UPDATE SET allowedToJoin = excluded.allowedToJoin,
                allowedToRegister = excluded.allowedToRegister, userDeviceQuota = excluded.userDeviceQuota
            """)
        try connection.execute("DELETE FROM deviceRegistrant WHERE tenant = \(tenant)")
        for (act, membership) in [(Act.join, join), (.register, register)] {
            guard case .selected(let people) = membership else { continue }
            for person in people {
                try connection.execute(
                    """
                    INSERT INTO deviceRegistrant (tenant, act, person) VALUES (\(tenant), \(act.rawValue), \(person))
                    """)
            }
        }
    }

    private static func word(_ membership: Membership) -> Word {
        switch membership {
        case .all: .all
        case .nobody: .none
        case .selected: .selected
        }
    }

    private static func membership(
        _ word: String, _ act: Act, _ tenant: TenantID, _ connection: any Connection
    ) throws -> Membership {
        switch Word(rawValue: word) {
        case .all: return .all
        case nil: throw StorageError(.unexpectedValue, "who may register devices is not known")
        case .some(.none): return .nobody
        case .selected:
            let rows = try connection.rows(
                "SELECT person FROM deviceRegistrant WHERE tenant = \(tenant) AND act = \(act.rawValue)")
            return .selected(Set(try rows.map { try $0.value(0) }))
        }
    }
}
