// SPDX-License-Identifier: Apache-2.0
internal import Hummingbird
internal import OAuth
internal import Redaction
internal import Storage

/// Signs a person in by name and password without a page (RFC 6749 section 4.3), where the operator lets older clients do
/// so. It costs, counts and says what the page does.
struct PasswordGrant: GrantHandler {
    let platform: Platform

    var grantTypes: [GrantType] { platform.configuration.compatibility.passwordGrant ? [.password] : [] }

    func respond(to request: TokenRequest) async throws -> Response {
        let form = request.form
        let name = try form.required(.username)
        let password = SecretBytes(copying: try form.required(.password).utf8)
        let claims = try ClaimsRequest(parsing: form[ParameterName.claims])
        let tenant = try await platform.tenant(of: request, orOf: name)
        let credentials = try request.credentials()
        let (client, scope) = try await platform.database.read { [platform] connection in
            let client = try Clients(connection).authenticated(
                credentials, tenant: tenant.id, at: platform.environment.now())
            return (client, try platform.resources.grant(asked: form, before: "", to: client))
        }
        let checked = try await platform.passwords.check(
            name: name, password: password, tenant: tenant.id, from: SignInOrigin(request.peer))
        let start = SessionStart(
            client: client, scope: scope, claims: claims, version: request.version,
            session: platform.environment.identifier(),
            family: platform.environment.identifier(of: RefreshToken.self).rawValue)
        if let checked,
            let begun = try await platform.passwords.using(
                checked,
                { [platform] in
                    try await platform.database.write { try start.begin(with: checked, platform, $0) }
                })
        {
            return Response(
                json: try await platform.issuer.reply(
                    begun.grant, refreshToken: begun.refreshToken, withClientInfo: form.wantsClientInfo))
        }
        try await platform.recordFailedSignIn(
            name: name, tenant: tenant.id, client: client.id.rawValue, method: .passwordGrant)
        throw OAuthError.badCredentials
    }
}

/// A session that begins with its first tokens.
private struct SessionStart: Sendable {
    let client: Client
    let scope: GrantedScope
    let claims: ClaimsRequest
    let version: TokenVersion
    let session: SessionID
    let family: String

    /// Begins the session of a person whose password was right; nil where it is not theirs any more.
    ///
    /// - Throws: ``OAuthError``, ``StorageError``
    func begin(
        with checked: CheckedPassword, _ platform: Platform, _ connection: any Connection
    ) throws -> IssuedGrant? {
        let now = platform.environment.now()
        guard let user = try platform.passwords.confirm(checked, at: now, connection) else { return nil }
        _ = try Sessions(connection).begin(
            session, user: user, methods: [AuthenticationMethod.password], at: now)
        try AuditLog(connection).append(
            .signIn, tenant: user.tenant, actor: user.id.rawValue, subject: client.id.rawValue,
            method: .passwordGrant, at: now)
        return try platform.issue(
            session, family: family, client: client, scope: scope, claims: claims, version: version, connection)
    }
}
