// SPDX-License-Identifier: Apache-2.0

extension IdentityAdmin {
    /// Break-glass access: a directory role that a person has for a short time in an emergency.
    package struct BreakGlassGrant: Codable, Sendable, Equatable {
        package let id: String
        /// The person's user principal name.
        package let user: String
        /// The role's name.
        package let role: String
        package let reason: String
        /// Who granted it: `uid=`, the Unix user of the caller according to the kernel; `login=`, the Unix user who had
        /// logged in, according to the caller; `host=`, the node.
        package let grantedBy: String
        /// Milliseconds since 1970, like the other times.
        package let begunAt: Int64
        package let expiresAt: Int64
        /// When the access was revoked or found to have expired; nil before.
        package let endedAt: Int64?
        /// Whether the access is in force now.
        package let isActive: Bool

        package init(
            id: String, user: String, role: String, reason: String, grantedBy: String, begunAt: Int64,
            expiresAt: Int64, endedAt: Int64?, isActive: Bool
        ) {
            (self.id, self.user, self.role, self.reason) = (id, user, role, reason)
            (self.grantedBy, self.begunAt, self.expiresAt) = (grantedBy, begunAt, expiresAt)
            (self.endedAt, self.isActive) = (endedAt, isActive)
        }
    }

    /// Break-glass access to grant. Defaults: Global Administrator, 60 minutes.
    package struct NewBreakGlassGrant: Codable, Sendable {
        /// The person's user principal name or object id.
        package var user: String
        package var role: String?
        package var reason: String
        /// 1 to 240.
        package var minutes: Int?
        /// The Unix user id of the login of the caller, if the caller knows it.
        package var login: Int?

        package init(user: String, role: String? = nil, reason: String, minutes: Int? = nil, login: Int? = nil) {
            (self.user, self.role, self.reason, self.minutes, self.login) = (user, role, reason, minutes, login)
        }
    }

    /// The header of every answer while break-glass access is in force. It contains the time at which the last access
    /// ends, in milliseconds since 1970.
    package static let breakGlassHeader = "Baton-Break-Glass-Until"
}

/// The operations on break-glass access.
extension IdentityAdmin {
    package static let listBreakGlassGrants = Endpoint<Empty, [BreakGlassGrant]>(
        "listBreakGlassGrants", .get("/identity/tenants/{tenant}/break-glass"),
        by: .serverOnly, effect: .reading,
        summary: "Lists the newest 100 grants of break-glass access.")

    package static let grantBreakGlass = Endpoint<NewBreakGlassGrant, BreakGlassGrant>(
        "grantBreakGlass", .post("/identity/tenants/{tenant}/break-glass"), status: 201,
        by: .serverOnly, effect: .danger("break-glass.grant"),
        errors: [
            "identity.user.missing", "identity.role.missing", "identity.breakGlass.active",
            "identity.breakGlass.disabled", "identity.breakGlass.reason", "identity.breakGlass.minutes",
        ],
        summary: "Gives a person a directory role that ends by itself.")

    package static let revokeBreakGlass = Endpoint<Empty, Empty>(
        "revokeBreakGlass", .delete("/identity/tenants/{tenant}/break-glass/{grant}"),
        by: .serverOnly, effect: .change("break-glass.end"),
        summary: "Ends break-glass access at once.",
        details: "Succeeds also if the access has already ended.")
}
