// SPDX-License-Identifier: Apache-2.0

extension IdentityAdmin {
    /// A session that has not ended.
    package struct Session: Codable, Sendable, Equatable {
        /// The `sid` of all tokens and credentials of this session.
        package let id: String
        package let userPrincipalName: String
        /// The device id of the device that the session is bound to.
        package let device: String?
        /// The display name of that device in the directory.
        package let deviceName: String?
        /// Milliseconds since 1970.
        package let begunAt: Int64

        package init(id: String, userPrincipalName: String, device: String?, deviceName: String?, begunAt: Int64) {
            self.id = id
            self.userPrincipalName = userPrincipalName
            self.device = device
            self.deviceName = deviceName
            self.begunAt = begunAt
        }
    }
}

/// The operations on sessions.
extension IdentityAdmin {
    package static let listSessions = Endpoint<Empty, [Session]>(
        "listSessions", .get("/identity/tenants/{tenant}/sessions"),
        query: [.user] + QueryParameter.paging,
        by: .roles(
            .globalAdministrator, .globalReader, .userAdministrator, .helpdeskAdministrator,
            .authenticationAdministrator, permission: "User.Read.All"),
        effect: .reading,
        errors: ["identity.user.missing"],
        summary: "Lists the sessions that have not ended, the newest first.")

    package static let revokeSession = Endpoint<Empty, Empty>(
        "revokeSession", .delete("/identity/tenants/{tenant}/sessions/{session}"),
        by: .roles(
            .globalAdministrator, .userAdministrator, .helpdeskAdministrator, .authenticationAdministrator,
            permission: "User.RevokeSessions.All"),
        effect: .change("session.end"),
        summary: "Ends a session.",
        details: "Succeeds also if the session has already ended.")

    package static let revokeUserSessions = Endpoint<Empty, Empty>(
        "revokeUserSessions", .delete("/identity/tenants/{tenant}/users/{user}/sessions"),
        by: .roles(
            .globalAdministrator, .userAdministrator, .helpdeskAdministrator, .authenticationAdministrator,
            permission: "User.RevokeSessions.All"),
        effect: .change("user.sessions.revoke"),
        summary: "Ends every session of a person; each of their devices signs out.")
}
