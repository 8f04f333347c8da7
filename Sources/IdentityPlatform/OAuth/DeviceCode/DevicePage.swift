// SPDX-License-Identifier: Apache-2.0
internal import HTTPTypes
internal import Hummingbird
internal import OAuth
internal import Redaction
internal import Storage

/// `/{tenant}/oauth2/deviceauth`: where a person types the code of another screen, signs in, and says whether it is them
/// (RFC 8628 section 3.3). Every form counts only with the cookie of the same browser.
struct DevicePage: Sendable {
    let platform: Platform

    static let path = "/oauth2/deviceauth"

    enum Field: String, WireName { case choice, csrf, password, request, username }

    /// A form that came from a page of ours.
    struct FormSubmission: Sendable {
        let request: Request
        let tenant: Tenant
        let form: FormParameters
        let peer: PeerAddress
        let browser: BrowserID
    }

    private typealias Step = @Sendable (FormSubmission, UserCode, DeviceCode) async throws -> Response

    func addRoutes(to router: Router<IdentityContext>) {
        router.get("/devicelogin") { _, _ in platform.pages.redirect(to: "/common\(Self.path)", status: .found) }
        router.get("/{tenant}/oauth2/deviceauth") { request, context in
            try await BrowserSignOn(platform: platform).naming(request) { request in
                try await shown(context) { tenant in
                    // A browser that shows the device's credential belongs to the device from here on.
                    _ = try await BrowserSignOn(platform: platform).signedIn(request, tenant)
                    let parameters = try request.queryParameters()
                    return ask(request, tenant, typed: parameters[ParameterName.userCode] ?? parameters["otc"] ?? "")
                }
            }
        }
        let steps: [(String, Step)] = [
            ("", { try await typed($0, $1, $2) }), ("/login", { try await signIn($0, $1, $2) }),
            ("/answer", { try await answer($0, $1, $2) }),
        ]
        for (name, step) in steps {
            router.post("/{tenant}/oauth2/deviceauth\(name)") { request, context in
                try await shown(context) { try await take(request, context, $0, step) }
            }
        }
    }

    /// Reads a form, finds the code that it is about and goes on.
    private func take(
        _ request: Request, _ context: IdentityContext, _ tenant: Tenant, _ step: Step
    ) async throws -> Response {
        let form = try await request.form(limit: context.maxUploadSize)
        let typed = form[ParameterName.userCode] ?? form[Field.request] ?? ""
        guard let cookie = HostCookie.csrf.word(in: request), let field = form[Field.csrf],
            equalInConstantTime(Array(cookie.utf8), Array(field.utf8))
        else { return ask(request, tenant, typed: typed, alert: .staleForm) }
        let submission = FormSubmission(
            request: request, tenant: tenant, form: form, peer: PeerAddress(context.channel.remoteAddress),
            browser: BrowserID(word: cookie))
        do {
            let throttle = UserCodeThrottle(
                platform: platform, tenant: tenant.id, peer: submission.peer,
                session: HostCookie.session.value(in: request).flatMap(OpaqueToken.init))
            guard let found = try await throttle.find(typed) else {
                return ask(request, tenant, typed: "", alert: .wrongUserCode)
            }
            return try await step(submission, found.code, found.record)
        } catch let error as OAuthError where error == .tooManyCodes {
            return ask(request, tenant, typed: "", alert: error)
        }
    }

    /// Runs a route and turns refusals into a page.
    private func shown(
        _ context: IdentityContext, _ route: (Tenant) async throws -> Response
    ) async throws -> Response {
        do {
            return try await route(try await platform.oneTenant(in: context))
        } catch let stale as BrowserSignOn.StaleNonce {
            return platform.pages.redirect(to: stale.address, status: .found)
        } catch let error as OAuthError {
            return platform.pages.message(
                title: "That did not work", text: error.wireDescription, isAlert: true, status: error.status)
        }
    }

    private func typed(_ submission: FormSubmission, _ code: UserCode, _ record: DeviceCode) async throws -> Response {
        let client = try await name(of: record)
        let endpoint = AuthorizeEndpoint(platform: platform)
        try await platform.renewBrowser(submission.request)
        guard let (_, user) = try await endpoint.signedIn(submission.request, submission.tenant) else {
            return signInPage(submission, code, client)
        }
        return question(submission, code, client, user)
    }

    /// The name of the application that waits.
    func name(of record: DeviceCode) async throws -> String {
        try await platform.database.read { try Clients($0).usable(record.client, tenant: record.tenant).displayName }
    }

    func address(_ tenant: Tenant, _ step: String = "") -> String { "/\(tenant.id)\(Self.path)\(step)" }

    private func ask(_ request: Request, _ tenant: Tenant, typed: String, alert: OAuthError? = nil) -> Response {
        let known = HostCookie.csrf.word(in: request)
        let word = known ?? Base64URL.encode(platform.environment.randomBytes(32))
        var response = platform.devicePages.code(
            platform.pages, to: address(tenant), fields: [(Field.csrf.rawValue, word)],
            typed: UserCode(typed: typed)?.text ?? "", alert: alert?.wireDescription, status: alert?.status ?? .ok)
        if known == nil { HostCookie.csrf.set(word, on: &response) }
        return response
    }

    func question(_ submission: FormSubmission, _ code: UserCode, _ client: String, _ user: User) -> Response {
        platform.devicePages.question(
            platform.pages, to: address(submission.tenant, "/answer"),
            fields: [
                (Field.csrf.rawValue, submission.form[Field.csrf] ?? ""), (ParameterName.userCode.rawValue, code.text),
            ],
            client: client, person: user.userPrincipalName, code: code.text)
    }
}
