// SPDX-License-Identifier: Apache-2.0
package import BrokerDevice
internal import OAuth

/// The broker's page for one offline sign-in, or for one PIN, and what the person types into it.
package struct OfflineSignInServer: Sendable {
    /// What became of what the person typed.
    package enum Verdict: Sendable {
        /// The worker is known, or the PIN kept; the page says so.
        case known
        /// The person wants to set no PIN; the page says so.
        case declined
        /// The form comes once more.
        case again(OfflinePage.Notice)
    }

    private let server: LoopbackServer

    /// What the browser opens.
    package var startURL: String { server.startURL }

    /// Listens on a free port.
    ///
    /// - Parameters:
    ///   - owner: the user who opens the browser.
    ///   - unable: is called where the kernel does not say who connects, so that nobody can be served.
    ///   - judge: hears what was typed; one at a time.
    /// - Throws: as ``LoopbackServer/open(owner:limits:unable:serve:)``.
    package static func open(
        _ purpose: OfflinePage.Purpose = .signIn(by: .password), notice: OfflinePage.Notice = .none,
        owner: Promise<UInt32>, unable: @escaping @Sendable (LoopbackPeerError) -> Void,
        judge: @escaping @Sendable (OfflineForm.Typed) async -> Verdict
    ) async throws -> OfflineSignInServer {
        let attempt = OfflineForm(purpose: purpose)
        let server = try await LoopbackServer.open(owner: owner, unable: unable) { request in
            switch request {
            case .start: return form(attempt, notice)
            case .post(let path, let form):
                guard attempt.isAction(path), let typed = attempt.take(form) else { return .notFound }
                return answer(await judge(typed), attempt)
            case .get: return .notFound
            }
        }
        return OfflineSignInServer(server: server)
    }

    /// Closes the port; answers that are on their way still go out.
    package func close() { server.close() }

    private static func answer(_ verdict: Verdict, _ attempt: OfflineForm) -> LoopbackResponse {
        switch verdict {
        case .known: page { OfflinePage.done(attempt.purpose, nonce: $0) }
        case .declined: page { OfflinePage.declined(nonce: $0) }
        case .again(let notice): form(attempt, notice)
        }
    }

    private static func form(_ attempt: OfflineForm, _ notice: OfflinePage.Notice) -> LoopbackResponse {
        let form = attempt.newForm()
        return page {
            OfflinePage.form(attempt.purpose, action: form.action, token: form.token, nonce: $0, notice: notice)
        }
    }

    private static func page(_ text: (_ nonce: String) -> String) -> LoopbackResponse {
        let nonce = ProofKey.verifier()
        return .page(
            text(nonce),
            headers: [
                // Under `no-referrer` a browser sends `Origin: null`, and the form would be refused.
                ("Referrer-Policy", "same-origin"),
                (
                    "Content-Security-Policy",
                    "default-src 'none'; style-src 'nonce-\(nonce)'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
                ),
            ])
    }
}
