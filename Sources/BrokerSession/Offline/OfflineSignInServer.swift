// SPDX-License-Identifier: Apache-2.0
package import BrokerDevice
internal import OAuth
package import Processes

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
    ///   - owner: the user who opens the browser.
    ///   - unable: called if the kernel does not report who connects, so that nobody can be served.
    ///   - judge: judges the typed values; called for one form at a time.
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

    /// Closes the port. Answers under way are still sent.
    package func close() { server.close() }

    private static func answer(_ verdict: Verdict, _ attempt: OfflineForm) -> LoopbackResponse {
        switch verdict {
        case .known: page(closes: true) { OfflinePage.done(attempt.purpose, nonce: $0) }
        case .declined: page(closes: true) { OfflinePage.declined(nonce: $0) }
        case .again(let notice): form(attempt, notice)
        }
    }

    private static func form(_ attempt: OfflineForm, _ notice: OfflinePage.Notice) -> LoopbackResponse {
        let form = attempt.newForm()
        return page {
            OfflinePage.form(attempt.purpose, action: form.action, token: form.token, nonce: $0, notice: notice)
        }
    }

    /// - Parameter closes: whether the window closes by itself.
    private static func page(closes: Bool = false, _ text: (_ nonce: String) -> String) -> LoopbackResponse {
        let nonce = ProofKey.verifier()
        return .page(
            text(nonce),
            headers: [
                // With `no-referrer`, browsers send `Origin: null`, and the form would be refused.
                ("Referrer-Policy", "same-origin"),
                (
                    "Content-Security-Policy",
                    "default-src 'none'; style-src 'nonce-\(nonce)'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
                ),
            ] + (closes ? [LoopbackPage.closing] : []))
    }
}
