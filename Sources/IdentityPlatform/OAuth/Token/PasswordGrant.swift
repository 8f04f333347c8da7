// SPDX-License-Identifier: Apache-2.0
internal import Hummingbird
internal import OAuth
internal import Redaction
internal import Storage

/// Signs a person in with name and password without a page (RFC 6749 section 4.3), if the operator allows this for
/// older clients. Hashing cost, throttling and audit entries are the same as on the sign-in page.
struct PasswordGrant: GrantHandler {
    let isAllowed: Bool
    let tokens: TokenTransactions
    let issuer: TokenIssuer
    let environment: ClockAndRandomness
    let directory: DirectoryCache
    let passwords: Passwords
    let failedSignIns: FailedSignIns
    let metrics: IdentityMetrics

    var grantTypes: [GrantType] { isAllowed ? [.password] : [] }

    func respond(to request: TokenRequest) async throws -> Response {
        let form = request.form
        let name = try form.required(.username)
        let password = SecretBytes(copying: try form.required(.password).utf8)
        let claims = try ClaimsRequest(parsing: form[ParameterName.claims])
        let tenant = try await tenant(of: request, orOf: name)
        let credentials = try request.credentials()
        let (client, scope) = try await tokens.read { transaction in
            let client = try transaction.client(credentials, tenant: tenant.id)
            return (client, try transaction.resources.grant(asked: form, before: "", to: client))
        }
        let start = SessionStart(
            client: client, scope: scope, claims: claims, version: request.version,
            session: environment.identifier(),
            family: TokenFamilyID(environment))
        let begun: IssuedGrant? = try await metrics.signIn(.passwordGrant) {
            let checked = try await passwords.check(
                name: name, password: password, tenant: tenant.id, from: SignInOrigin(request.peer))
            guard let checked else { return nil }
            return try await passwords.using(checked) {
                try await tokens.write { try start.begin(with: checked, passwords, in: $0) }
            }
        }
        if let begun {
            return Response(
                json: try await issuer.reply(begun, withClientInfo: form.wantsClientInfo))
        }
        try await failedSignIns.record(
            name: name, tenant: tenant.id, client: client.id.rawValue, method: .passwordGrant)
        throw OAuthError.badCredentials
    }

    /// Returns the tenant that the request's URL names or, if the URL names no tenant, the tenant of the domain in the
    /// user name.
    ///
    /// - Throws: ``OAuthError``, ``StorageError``
    private func tenant(of request: TokenRequest, orOf userName: String) async throws -> Tenant {
        if let tenant = request.tenant { return tenant }
        let domain = userName.split(separator: "@").last.map(String.init) ?? ""
        let found = try await directory.tenant(at: .domain(domain.lowercased()))
        guard let found else { throw OAuthError.ambiguousTenant }
        return found
    }
}

/// The start of a session together with its first tokens.
private struct SessionStart: Sendable {
    let client: Client
    let scope: GrantedScope
    let claims: ClaimsRequest
    let version: TokenVersion
    let session: SessionID
    let family: TokenFamilyID

    /// Begins the session of a person whose password was correct. Returns nil if, after the check of the password, the
    /// password was changed or the account was disabled or removed.
    ///
    /// - Throws: ``OAuthError``, ``StorageError``
    func begin(
        with checked: CheckedPassword, _ passwords: Passwords, in transaction: TokenTransaction
    ) throws -> IssuedGrant? {
        let (now, connection) = (transaction.now, transaction.connection)
        guard let user = try passwords.confirm(checked, at: now, connection) else { return nil }
        _ = try Sessions(connection).begin(
            session, user: user, methods: [AuthenticationMethod.password], at: now)
        try AuditLog(connection).append(
            AuditLine(
                .signIn, tenant: user.tenant, actor: user.id.rawValue, subject: client.id.rawValue,
                method: .passwordGrant, at: now))
        return try transaction.begin(
            family: family,
            with: transaction.grant(session, client: client, scope: scope, claims: claims, version: version))
    }
}
