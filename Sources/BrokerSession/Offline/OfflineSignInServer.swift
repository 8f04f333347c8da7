// SPDX-License-Identifier: Apache-2.0
internal import DeviceSettings
package import Processes
package import WebPages

/// The broker's page for one offline sign-in or for setting a PIN, and the handling of its form.
package struct OfflineSignInServer: Sendable {
    /// The result of a submitted form.
    package enum Verdict: Sendable {
        /// The worker is authenticated, or the PIN is stored; the page says so.
        case known
        /// The person declined to set a PIN; the page says so.
        case declined
        /// The form is shown again.
        case again(OfflinePage.Notice)
    }

    private let server: LoopbackServer

    /// The address that the browser opens.
    package var startURL: String { server.startURL }

    /// Listens on a free port.
    ///
    /// - Parameters:
    ///   - language: the language that the app asks for; nil for the browser's language.
    ///   - owner: the user who opens the browser.
    ///   - unable: called if the kernel does not report who connects, so that nobody can be served.
    ///   - judge: judges the typed values; called for one form at a time.
    /// - Throws: as ``LoopbackServer/open(in:owner:limits:unable:serve:)``.
    package static func open(
        _ purpose: OfflinePage.Purpose = .signIn(by: .password), notice: OfflinePage.Notice = .none,
        in language: Language? = nil, owner: Promise<UInt32>, unable: @escaping @Sendable (LoopbackPeerError) -> Void,
        judge: @escaping @Sendable (OfflineForm.Typed) async -> Verdict
    ) async throws -> OfflineSignInServer {
        let attempt = OfflineForm(purpose: purpose)
        let server = try await LoopbackServer.open(in: language, owner: owner, unable: unable) { request, language in
            switch request {
            case .start: return form(attempt, notice, in: language)
            case .post(let path, let form):
                guard attempt.isAction(path), let typed = attempt.take(form) else { return .notFound(in: language) }
                return answer(await judge(typed), attempt, in: language)
            case .get: return .notFound(in: language)
            }
        }
        return OfflineSignInServer(server: server)
    }

    /// Closes the port. Answers to requests that were already accepted are still sent.
    package func close() { server.close() }

    private static func answer(
        _ verdict: Verdict, _ attempt: OfflineForm, in language: Language
    ) -> LoopbackResponse {
        switch verdict {
        case .known: page(OfflinePage.done(attempt.purpose, in: language))
        case .declined: page(OfflinePage.declined(in: language))
        case .again(let notice): form(attempt, notice, in: language)
        }
    }

    private static func form(
        _ attempt: OfflineForm, _ notice: OfflinePage.Notice, in language: Language
    ) -> LoopbackResponse {
        let form = attempt.newForm()
        return page(
            OfflinePage.form(
                attempt.purpose, in: language, action: form.action, token: form.token, notice: notice))
    }

    private static func page(_ text: String) -> LoopbackResponse {
        .page(
            text,
            headers: [
                // With `no-referrer`, browsers send `Origin: null`, and the form would be refused.
                ("Referrer-Policy", "same-origin"), ("Content-Security-Policy", LoopbackFile.policy),
            ])
    }
}
