// SPDX-License-Identifier: Apache-2.0
package import Storage

/// An organisation's rules for personal devices (Graph's `deviceRegistrationPolicy`).
package struct DeviceRegistrationRules: Sendable, Equatable {
    /// The people whom a rule allows.
    package enum Membership: Sendable, Equatable {
        case all
        case nobody
        case selected(Set<UserID>)
    }

    /// Who may join a personal device to the organisation.
    package var join = Membership.all
    /// Who may register a personal device.
    package var register = Membership.all
    /// The maximum number of personal devices per person; nil for the value in the operator's configuration.
    package var quota: Int?

    package static let standard = DeviceRegistrationRules()

    package init(join: Membership = .all, register: Membership = .all, quota: Int? = nil) {
        (self.join, self.register, self.quota) = (join, register, quota)
    }
}

private enum DeviceRegistrant: Table {
    static let table = "deviceRegistrant"
    enum Column: String, ColumnName { case tenant, act, person }
}

extension DeviceRegistrationRules: Table {
    package static let table = "deviceRegistrationRules"
    package enum Column: String, ColumnName { case tenant, allowedToJoin, allowedToRegister, userDeviceQuota }

    private enum Act: String, ColumnValue { case join, register }
    private enum Word: String { case all, selected, none }

    /// Returns the organisation's rules; nil if it has never set any.
    ///
    /// - Throws: ``StorageError``
    package static func of(_ tenant: TenantID, _ connection: any Connection) throws -> DeviceRegistrationRules? {
        try connection.row(of: DeviceRegistrationRules.self, "WHERE tenant = \(tenant)").map { row in
            DeviceRegistrationRules(
                join: try membership(try row[.allowedToJoin], of: .join, tenant: tenant, connection),
                register: try membership(try row[.allowedToRegister], of: .register, tenant: tenant, connection),
                quota: try row[.userDeviceQuota])
        }
    }

    /// Stores the rules and replaces earlier ones.
    ///
    /// - Throws: ``StorageError``
    package func keep(for tenant: TenantID, _ connection: any Connection) throws {
        try connection.upsert(
            into: DeviceRegistrationRules.self, key: [.tenant],
            [
                .tenant: tenant, .allowedToJoin: Self.word(join).rawValue,
                .allowedToRegister: Self.word(register).rawValue, .userDeviceQuota: quota,
            ])
        try connection.execute("DELETE FROM deviceRegistrant WHERE tenant = \(tenant)")
        for (act, membership) in [(Act.join, join), (.register, register)] {
            guard case .selected(let people) = membership else { continue }
            for person in people {
                try connection.insert(
                    into: DeviceRegistrant.self, [.tenant: tenant, .act: act, .person: person])
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
        _ word: String, of act: Act, tenant: TenantID, _ connection: any Connection
    ) throws -> Membership {
        switch Word(rawValue: word) {
        case .all: return .all
        case nil: throw StorageError(.unexpectedValue, "the rule on who may register devices is unknown")
        case .some(.none): return .nobody
        case .selected:
            return .selected(
                Set(
                    try connection.values(
                        .person, of: DeviceRegistrant.self, "WHERE tenant = \(tenant) AND act = \(act)")))
        }
    }
}
