// SPDX-License-Identifier: Apache-2.0
internal import HTTPTypes
internal import Hummingbird
internal import OAuth

/// `/{tenant}/account` and `/{tenant}/consent`: the forms of the two pages that ask a signed-in person a question.
///
/// The form contains a ``FormState``, which proves that our page asked the question. Because the state is checked,
/// neither another site nor the person can skip a step.
struct AskedPage: Sendable {
    let endpoint: AuthorizeEndpoint

    /// The question on the page.
    enum Question: String, CaseIterable, Sendable {
        case account, consent

        var form: AuthorizeForm { self == .account ? .account : .consent }

        /// The steps that a "yes" completes.
        var done: AuthorizeRequest.Done { self == .account ? [.account] : [.signIn, .account, .consent] }
    }

    private enum Field: String, WireName { case choice, request, state }
    private enum Choice: String { case yes, no }

    func addRoutes(to router: Router<IdentityContext>) {
        for question in Question.allCases {
            router.post(RouterPath(question.form.path(tenant: "{tenant}"))) { request, context in
                try await endpoint.guarded(request) { try await take(request, context, to: question) }
            }
        }
    }

    func page(
        _ question: Question, about authorize: AuthorizeRequest, to present: (session: Session, user: User),
        request: Request, alert: OAuthError? = nil
    ) async throws -> Response {
        let user = present.user
        let word = HostCookie.csrf.word(in: request) ?? Base64URL.encode(endpoint.environment.randomBytes(32))
        let text = authorize.parameters.encoded
        let state = FormState(question, session: present.session.id, request: text, word: word)
        var response = endpoint.pages.asked(
            Pages.Asked(
                question: question, client: authorize.client.displayName,
                action: question.form.path(tenant: request.tenantName), person: user.profile.displayName,
                username: user.userPrincipalName, scope: authorize.scope,
                fields: [
                    (Field.request.rawValue, text),
                    (Field.state.rawValue, state.text(at: endpoint.environment.now(), key: endpoint.storageKey)),
                ], alert: alert),
            in: try await endpoint.pages.setting(request, parameters: authorize.parameters, tenant: authorize.tenant),
            redirect: authorize.redirect, status: alert?.status ?? .ok)
        if HostCookie.csrf.word(in: request) == nil { HostCookie.csrf.set(word, on: &response) }
        return response
    }

    private func take(_ request: Request, _ context: IdentityContext, to question: Question) async throws -> Response {
        let form = try await request.form(limit: context.maxUploadSize)
        let text = form[Field.request] ?? ""
        let authorize = try await endpoint.check(try FormParameters(checking: text.utf8), context)
        guard let (session, user) = try await endpoint.signedIn.present(request, tenant: authorize.tenant) else {
            return try await endpoint.goOn(authorize, for: nil, by: request, done: [], status: .seeOther)
        }
        guard let word = HostCookie.csrf.word(in: request), let shown = form[Field.state],
            FormState(question, session: session.id, request: authorize.parameters.encoded, word: word)
                .matches(shown, at: endpoint.environment.now(), key: endpoint.storageKey)
        else {
            // Without a valid state, the request starts over.
            return try await endpoint.goOn(authorize, for: (session, user), by: request, done: [], status: .seeOther)
        }
        switch (question, form[Field.choice].flatMap(Choice.init)) {
        case (_, .yes):
            return try await endpoint.goOn(
                authorize, for: (session, user), by: request, done: question.done, status: .seeOther)
        case (.account, .no): return try await SignIn(endpoint: endpoint).page(authorize, request, username: "")
        case (.consent, .no): throw AuthorizeRequest.Refusal.returned(.consentDeclined, authorize.address)
        case (_, nil):
            return try await page(
                question, about: authorize, to: (session, user), request: request, alert: .malformedForm)
        }
    }
}
