// SPDX-License-Identifier: Apache-2.0
internal import HTTPTypes
internal import Hummingbird
internal import OAuth
internal import Redaction
internal import Storage

extension DevicePage {
    /// The ordinary sign-in page, which leads back here.
    func signInPage(
        _ submission: FormSubmission, _ code: UserCode, _ client: String, username: String = "",
        alert: OAuthError? = nil
    ) -> Response {
        platform.pages.signIn(
            Pages.SignIn(
                tenant: submission.tenant.displayName, client: client, action: address(submission.tenant, "/login"),
                request: code.text, csrf: submission.form[Field.csrf] ?? "", username: username,
                alert: alert?.wireDescription),
            redirect: nil, status: alert?.status ?? .ok)
    }

    /// Takes name and password, begins the browser's session and goes on to the question.
    func signIn(_ submission: FormSubmission, _ code: UserCode, _ record: DeviceCode) async throws -> Response {
        let username = submission.form[Field.username] ?? ""
        let client = try await name(of: record)
        do {
            let checked = try await platform.passwords.check(
                name: username, password: SecretBytes(copying: Array((submission.form[Field.password] ?? "").utf8)),
                tenant: submission.tenant.id, from: SignInOrigin(submission.peer, browser: submission.request))
            if let checked,
                let (user, cookie) = try await platform.passwords.using(
                    checked, { try await begin(submission, record, with: checked) })
            {
                var response = question(submission, code, client, user)
                HostCookie.session.set(cookie.text.exposed, on: &response)
                try platform.remember(checked, in: submission.request, on: &response)
                return response
            }
        } catch is HashingPool.Busy {
            return signInPage(submission, code, client, username: username, alert: .busy)
        } catch let error as OAuthError where error == .tooManyFailures {
            return signInPage(submission, code, client, username: username, alert: error)
        } catch let error as OAuthError where error == .endedBrowserEpoch {
            try await platform.renewBrowser(submission.request)
            return signInPage(submission, code, client, username: username, alert: error)
        } catch let error as OAuthError where error == .otherPersonOnDevice {
            try await platform.recordFailedSignIn(
                name: username, tenant: submission.tenant.id, client: record.client.rawValue, method: .deviceCode)
            throw error
        }
        try await platform.recordFailedSignIn(
            name: username, tenant: submission.tenant.id, client: record.client.rawValue, method: .deviceCode)
        return signInPage(submission, code, client, username: username, alert: .badCredentials)
    }

    private func begin(
        _ submission: FormSubmission, _ record: DeviceCode, with checked: CheckedPassword
    ) async throws -> (User, OpaqueToken)? {
        let former = HostCookie.session.value(in: submission.request).flatMap(OpaqueToken.init)
        let cookie = OpaqueToken(tenant: submission.tenant.id, environment: platform.environment)
        let id = platform.environment.identifier(of: Session.self)
        return try await platform.database.write { [platform] connection in
            let signIn = BrowserSignIn(
                session: id, cookie: cookie, browser: submission.browser, former: former, client: record.client,
                method: .deviceCode)
            return try signIn.begin(checked, by: platform, at: platform.environment.now(), connection).map {
                ($0.0, cookie)
            }
        }
    }

    /// Takes the person's answer. A yes begins a session of its own, which outlives the browser's; so it is not taken from
    /// one on a shared device, where the next person is somebody else.
    func answer(_ submission: FormSubmission, _ code: UserCode, _ record: DeviceCode) async throws -> Response {
        let endpoint = AuthorizeEndpoint(platform: platform)
        guard let (browser, user) = try await endpoint.signedIn(submission.request, submission.tenant) else {
            return signInPage(submission, code, try await name(of: record))
        }
        let isYes = submission.form[Field.choice] == "yes"
        let cookie = HostCookie.session.value(in: submission.request).flatMap(OpaqueToken.init)
        let id = platform.environment.identifier(of: Session.self)
        try await platform.database.write { [platform] connection in
            let live = try LiveSession(browser.id, tenant: browser.tenant, connection)
            if isYes {
                let binding = try DeviceBrowsers(connection)
                    .binding(of: submission.browser, holding: cookie, at: platform.environment.now())
                guard live.session.device?.isShared != true, binding?.device.isShared != true else {
                    throw OAuthError.noDeviceCodeOnSharedDevice
                }
                _ = try Sessions(connection).begin(
                    id, user: user, methods: browser.methods, in: submission.browser, fromDeviceCode: true,
                    at: browser.begun)
            }
            let isFirst = try DeviceCodes(connection).decide(
                isYes ? id : nil, userCode: platform.hash(of: code), tenant: record.tenant)
            guard isFirst else { throw OAuthError.wrongUserCode }
            try AuditLog(connection).append(
                isYes ? .deviceCodeApproved : .deviceCodeDeclined, tenant: user.tenant, actor: user.id.rawValue,
                subject: record.client.rawValue, at: platform.environment.now())
        }
        return isYes
            ? platform.pages.message(
                title: "You are signed in", text: "Go back to the other device or program. You can close this window.")
            : platform.pages.message(title: "Cancelled", text: "Nothing was signed in. You can close this window.")
    }
}
