// SPDX-License-Identifier: Apache-2.0
internal import OAuth

/// An authorisation request that has been checked (RFC 6749 section 4.1.1, RFC 7636, OpenID Connect Core 3.1.2.1).
struct AuthorizeRequest: Sendable {
    let tenant: Tenant
    let client: Client
    let redirect: RedirectURI
    let mode: Mode
    let state: String?
    let nonce: String?
    let scope: GrantedScope
    let scopeText: String
    let challenge: String
    let prompt: Prompt
    let loginHint: String?
    let maxAge: Duration?
    let wantsClientInfo: Bool
    /// The request as it came, for the form.
    let parameters: FormParameters

    enum Mode: String { case query, formPost = "form_post" }

    enum Prompt: Sendable {
        case automatic
        /// The person must not be asked.
        case none
        /// The person must be asked, signed in or not.
        case always

        /// Reads the list of OpenID Connect Core section 3.1.2.1; `nil` for an unknown word, or `none` beside another.
        init?(_ text: String) {
            let words = Set(text.split(separator: " "))
            // There is nothing to consent to beside signing in.
            guard words.isSubset(of: ["none", "login", "select_account", "consent"]) else { return nil }
            guard !words.contains("none") || words.count == 1 else { return nil }
            self =
                words.contains("none")
                ? .none : words.isDisjoint(with: ["login", "select_account"]) ? .automatic : .always
        }
    }

    /// Where errors may be sent once client and redirect URI are known to belong together.
    struct ReturnAddress: Sendable {
        let redirect: RedirectURI
        let mode: Mode
        let state: String?
    }

    /// Whether the person of a browser session may be let in without being asked.
    func accepts(_ session: Session, of user: User, at now: Timestamp) -> Bool {
        guard prompt != .always else { return false }
        if let loginHint, loginHint.lowercased() != user.userPrincipalName.lowercased() { return false }
        if let maxAge, session.begun + maxAge < now { return false }
        return true
    }
}
