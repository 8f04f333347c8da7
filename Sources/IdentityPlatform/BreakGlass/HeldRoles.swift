// SPDX-License-Identifier: Apache-2.0
internal import Storage

/// The directory roles that a person has at one time: those that were assigned, and those that break-glass access
/// gives.
///
/// Each decision reads the roles in its own transaction, so break-glass access ends on time, whatever else is running.
/// Tokens contain only assigned roles, because a token would outlive the access.
package struct HeldRoles: Sendable {
    let assigned: [RoleID]
    let breakGlass: [BreakGlassGrant]

    /// All roles, however the person has them.
    var all: [RoleID] { assigned + breakGlass.map(\.role) }

    /// How a person meets a requirement.
    enum Match {
        case assigned
        /// The person has the role only through break-glass access. The use of this access must be recorded.
        case breakGlass(BreakGlassGrant)
    }

    /// Returns how the person holds one of these roles; nil if they hold none of them.
    func match(anyOf roles: [DirectoryRole]) -> Match? {
        if roles.contains(where: { assigned.contains($0.id) }) { return .assigned }
        return breakGlass.first { grant in roles.contains { $0.id == grant.role } }.map(Match.breakGlass)
    }
}

extension HeldRoles {
    /// Reads the roles that a person has at this time.
    ///
    /// - Throws: ``StorageError``
    init(of user: UserID, tenant: TenantID, at time: Timestamp, _ connection: any Connection) throws {
        self.init(
            assigned: try RoleMembers(connection).roles(of: user, tenant: tenant),
            breakGlass: try BreakGlassGrants(connection).active(of: user, tenant: tenant, at: time))
    }
}
