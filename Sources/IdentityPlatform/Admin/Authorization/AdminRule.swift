// SPDX-License-Identifier: Apache-2.0
internal import AdminAPI
internal import AdminServer
internal import HTTPTypes
internal import Storage

/// Decides which operations the holder of an access token may call.
protocol AdminRule: Sendable {
    /// The holder's name in the audit log.
    var name: String { get }
    var reach: AdminCaller.Reach { get }

    /// Decides by the state of the directory in this transaction.
    ///
    /// - Returns: how a person meets the requirement.
    /// - Throws: ``OperationRefusal``, ``StorageError``
    func judge(_ operation: AdminOperation, _ connection: any Connection) throws -> HeldRoles.Match

    /// Returns how the holder is a Global Administrator in this transaction; nil for anybody else.
    ///
    /// - Throws: ``StorageError``
    func fullControl(_ connection: any Connection) throws -> HeldRoles.Match?

    /// Checks that the holder may call dangerous operations at this time.
    ///
    /// - Throws: ``OperationRefusal``
    func confirmRecentSignIn() throws
}

/// For how long after a person has signed in, or an application has proved its identity, dangerous operations are
/// allowed.
enum StepUp {
    static let maximumAge = Duration.seconds(300)
}

/// The rule for a person: the token has the operation's permission, and the person has one of its roles.
struct PersonRule: AdminRule {
    let token: AccessToken
    let environment: ClockAndRandomness
    let metadata: ProtectedResource

    var name: String { token.user.id.rawValue }
    var reach: AdminCaller.Reach { .tenant(token.tenant) }

    func judge(_ operation: AdminOperation, _ connection: any Connection) throws -> HeldRoles.Match {
        do { try token.confirm(connection) } catch let refusal as AccessTokens.Refusal {
            throw OperationRefusal(refusal, metadata)
        }
        guard operation.access != .anyone else { return .assigned }
        let (roles, permission) = try operation.requirement()
        guard permission.isSatisfied(by: token.permissions) else { throw OperationRefusal.missing(permission) }
        guard let match = try held(connection).match(anyOf: roles) else { throw OperationRefusal.missing(roles) }
        if operation.isDangerous { try confirmRecentSignIn() }
        return match
    }

    func confirmRecentSignIn() throws {
        guard environment.now() <= token.session.begun + StepUp.maximumAge else {
            throw OperationRefusal.stepUp(metadata)
        }
    }

    func fullControl(_ connection: any Connection) throws -> HeldRoles.Match? {
        try held(connection).match(anyOf: [.globalAdministrator])
    }

    private func held(_ connection: any Connection) throws -> HeldRoles {
        try HeldRoles(of: token.user.id, tenant: token.tenant, at: environment.now(), connection)
    }
}

/// The rule for an application that acts for itself: a Global Administrator has granted it the operation's permission.
struct ApplicationRule: AdminRule {
    let token: ApplicationToken
    let environment: ClockAndRandomness
    let metadata: ProtectedResource

    var name: String { token.auditName }
    var reach: AdminCaller.Reach { .tenant(token.tenant) }

    func judge(_ operation: AdminOperation, _ connection: any Connection) throws -> HeldRoles.Match {
        do { try token.confirm(connection) } catch let refusal as AccessTokens.Refusal {
            throw OperationRefusal(refusal, metadata)
        }
        guard operation.access != .anyone else { return .assigned }
        let (_, permission) = try operation.requirement()
        guard permission.isSatisfied(by: token.permissions) else { throw OperationRefusal.missing(permission) }
        if operation.isDangerous { try confirmRecentSignIn() }
        return .assigned
    }

    func confirmRecentSignIn() throws {
        guard environment.now() <= token.issued + StepUp.maximumAge else { throw OperationRefusal.stepUp(metadata) }
    }

    /// No permission makes an application a Global Administrator.
    func fullControl(_ connection: any Connection) throws -> HeldRoles.Match? { nil }
}

/// The name of a permission for administration, such as `User.Read.All`.
struct AdminPermissionName: Sendable {
    let text: String

    /// Whether one of these permissions is enough. Whoever may change objects may also read them.
    func isSatisfied(by permissions: [String]) -> Bool {
        permissions.contains(text) || permissions.contains(text.replacing(".Read.", with: ".ReadWrite."))
    }
}

/// The rule for a caller without a token.
struct StrangerRule: AdminRule {
    let metadata: ProtectedResource

    /// No act of a stranger is recorded.
    let name = ""
    let reach = AdminCaller.Reach.noTenant

    func judge(_ operation: AdminOperation, _ connection: any Connection) throws -> HeldRoles.Match {
        guard operation.access == .anyone else { throw OperationRefusal(.missing, metadata) }
        return .assigned
    }

    func fullControl(_ connection: any Connection) throws -> HeldRoles.Match? { nil }

    /// No dangerous operation is open to everybody.
    func confirmRecentSignIn() throws { throw OperationRefusal(.missing, metadata) }
}

extension AdminOperation {
    /// Returns what a caller over the network needs.
    ///
    /// - Throws: ``OperationRefusal`` if no caller over the network may call the operation.
    fileprivate func requirement() throws -> (roles: [DirectoryRole], permission: AdminPermissionName) {
        guard case .directory(let roles, let permission) = access else { throw OperationRefusal.socketOnly }
        return (roles.compactMap { DirectoryRole.named($0.rawValue) }, AdminPermissionName(text: permission))
    }
}

extension OperationRefusal {
    /// The refusal of a token that is missing or not valid (RFC 6750 section 3).
    init(_ refusal: AccessTokens.Refusal, _ metadata: ProtectedResource) {
        let message =
            switch refusal {
            case .missing: "The request has no access token."
            case .ended: "The session of the access token has ended, or its application may no longer use it."
            case .expired: "The access token has expired."
            case .audience: "The access token is for another resource."
            case .malformed, .signature: "The access token is not valid."
            }
        let error = refusal == .missing ? "" : ", error=\"invalid_token\""
        self.init(
            "admin.token", status: .unauthorized,
            (message, "Sign in (baton admin sign-in), or get a token for \(metadata.resource)."),
            headers: [.wwwAuthenticate: "Bearer resource_metadata=\"\(metadata.address)\"\(error)"])
    }

    fileprivate static let socketOnly = OperationRefusal(
        "admin.socketOnly", status: .forbidden,
        (
            "This operation concerns the whole server, so it is not available over the network.",
            "Call it on the server's machine, as the server's user or root."
        ))

    fileprivate static func missing(_ permission: AdminPermissionName) -> OperationRefusal {
        OperationRefusal(
            "admin.permission", status: .forbidden,
            (
                "The access token does not have the permission \(permission.text).",
                "Ask for a token with this permission. An application needs a Global Administrator to grant it."
            ), headers: [.wwwAuthenticate: "Bearer error=\"insufficient_scope\", scope=\"\(permission.text)\""])
    }

    fileprivate static func missing(_ roles: [DirectoryRole]) -> OperationRefusal {
        OperationRefusal(
            "admin.role", status: .forbidden,
            (
                "You do not have a role that may do this.",
                "It takes one of: \(roles.map(\.displayName).joined(separator: ", "))."
            ))
    }

    /// The refusal that asks for a new sign-in (RFC 9470 section 3).
    fileprivate static func stepUp(_ metadata: ProtectedResource) -> OperationRefusal {
        let age = StepUp.maximumAge.components.seconds
        return OperationRefusal(
            "admin.stepUp", status: .unauthorized,
            (
                "This operation is dangerous or concerns a person with a role, and the sign-in was more than \(age / 60) minutes ago.",
                "Sign in again (max_age=\(age)), then repeat the call."
            ),
            headers: [
                .wwwAuthenticate: "Bearer resource_metadata=\"\(metadata.address)\", "
                    + "error=\"insufficient_user_authentication\", max_age=\"\(age)\""
            ])
    }

    /// The refusal of a change to a person with a role. Otherwise anyone who can set passwords could take over an
    /// administrator's account.
    static let privileged = OperationRefusal(
        "admin.privileged", status: .forbidden,
        (
            "The person has a directory role, so only a Global Administrator may do this.",
            "Ask a Global Administrator."
        ))

    /// The refusal of an application that changes who controls the roles.
    static let controlsRoles = OperationRefusal(
        "admin.privileged", status: .forbidden,
        (
            "No application may assign or take away a role that controls the other roles.",
            "Ask a Global Administrator or a Privileged Role Administrator."
        ))

    /// The refusal of an act that gives an application, or another person, power over the administration. Otherwise an
    /// application with a single permission could get all others.
    static let powerful = OperationRefusal(
        "admin.privileged", status: .forbidden,
        (
            "This gives or takes power over the administration, so only a Global Administrator may do it.",
            "Ask a Global Administrator, who must act as a person."
        ))
}
