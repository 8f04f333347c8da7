// SPDX-License-Identifier: Apache-2.0
internal import HTTPTypes
internal import Hummingbird
internal import OAuth
internal import Redaction
internal import Storage

extension DevicePage {
    /// Returns the ordinary sign-in page, with a form that is posted to this page.
    func signInPage(
        _ submission: FormSubmission, client: String, username: String = "", alert: OAuthError? = nil
    ) async throws -> Response {
        pages.signIn(
            Pages.SignIn(
                client: client, action: address(submission.tenant, "/login"),
                request: submission.code.text, csrf: submission.form[Field.csrf] ?? "", username: username,
                alert: alert),
            in: try await pages.setting(submission.request, tenant: submission.tenant),
            redirect: nil, status: alert?.status ?? .ok)
    }

    /// Checks name and password, begins the browser's session and asks the person to confirm.
    func signIn(_ submission: FormSubmission) async throws -> Response {
        let username = submission.tenant.userName(typed: submission.form[Field.username] ?? "")
        let client = try await name(of: submission.record)
        let attempt = BrowserSignIns.Attempt(
            request: submission.request, origin: SignInOrigin(submission.peer, browser: submission.request),
            tenant: submission.tenant.id, client: submission.record.client, method: .deviceCode, name: username,
            password: SecretBytes(copying: Array((submission.form[Field.password] ?? "").utf8)))
        switch try await signIns.run(attempt, begin: { try await begin(submission, with: $0) }) {
        case .begun(let (user, cookie), let checked):
            var response = try await question(submission, client: client, to: user)
            HostCookie.session.set(cookie.text.exposed, on: &response)
            try signIns.remember(checked, in: submission.request, on: &response)
            return response
        case .refused(let alert):
            return try await signInPage(submission, client: client, username: username, alert: alert)
        }
    }

    private func begin(
        _ submission: FormSubmission, with checked: CheckedPassword
    ) async throws -> (User, OpaqueToken)? {
        let former = HostCookie.session.value(in: submission.request).flatMap(OpaqueToken.init)
        let cookie = OpaqueToken(tenant: submission.tenant.id, environment: environment)
        let id = environment.identifier(of: Session.self)
        return try await database.write { connection in
            let signIn = BrowserSignIn(
                session: id, cookie: cookie, browser: submission.browser, former: former,
                client: submission.record.client,
                method: .deviceCode)
            return try signIn.begin(checked, by: signIns, at: environment.now(), in: connection).map {
                ($0.0, cookie)
            }
        }
    }

    /// Handles the person's answer. An approval begins a separate session that outlives the browser's session. An
    /// approval is therefore refused in the browser of a shared device, because other people use that browser later.
    func answer(_ submission: FormSubmission) async throws -> Response {
        let record = submission.record
        guard let (browser, user) = try await present(submission) else {
            return try await signInPage(submission, client: try await name(of: record))
        }
        let isYes = submission.form[Field.choice] == "yes"
        let cookie = HostCookie.session.value(in: submission.request).flatMap(OpaqueToken.init)
        let id = environment.identifier(of: Session.self)
        try await database.write { connection in
            let live = try LiveSession(browser.id, tenant: browser.tenant, connection)
            if isYes {
                let binding = try DeviceBrowsers(connection)
                    .binding(of: submission.browser, holding: cookie, at: environment.now())
                guard live.session.device?.isShared != true, binding?.device.isShared != true else {
                    throw OAuthError.noDeviceCodeOnSharedDevice
                }
                _ = try Sessions(connection).begin(
                    id, user: user, methods: browser.methods, in: submission.browser, fromDeviceCode: true,
                    at: browser.begun)
            }
            let isFirst = try DeviceCodes(connection).decide(
                isYes ? id : nil, userCode: storageKey.hash(of: submission.code), tenant: record.tenant)
            guard isFirst else { throw OAuthError.wrongUserCode }
            try AuditLog(connection).append(
                AuditLine(
                    isYes ? .deviceCodeApproved : .deviceCodeDeclined, tenant: user.tenant, actor: user.id.rawValue,
                    subject: record.client.rawValue, at: environment.now()))
        }
        let setting = try await pages.setting(submission.request, tenant: submission.tenant)
        return isYes
            ? pages.message(.signedIn, .otherScreenText, in: setting)
            : pages.message(.cancelled, .cancelledText, in: setting)
    }
}
