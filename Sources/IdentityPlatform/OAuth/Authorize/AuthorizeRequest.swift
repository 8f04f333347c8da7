// SPDX-License-Identifier: Apache-2.0
internal import OAuth
internal import Storage

/// A checked authorisation request (RFC 6749 section 4.1.1, RFC 7636, OpenID Connect Core 3.1.2.1).
struct AuthorizeRequest: Sendable {
    let tenant: Tenant
    let client: Client
    let address: ReturnAddress
    let nonce: String?
    let scope: GrantedScope
    /// The scopes to store until the code is redeemed, including the older dialect's `resource`.
    let scopeText: String
    /// PKCE, S256; nil for an older client without PKCE, if the operator allows it.
    let challenge: String?
    let prompt: Prompt
    let loginHint: String?
    /// The person of the id token hint, for whom the request must be.
    let hinted: UserID?
    let maxAge: Duration?
    let wantsClientInfo: Bool
    /// The original request, for the form.
    let parameters: FormParameters

    var redirect: RedirectURI { address.redirect }

    /// How the response is returned (OAuth 2.0 Multiple Response Types section 2.1, Form Post Response Mode).
    enum Mode: String, CaseIterable { case query, fragment, formPost = "form_post" }

    /// Where to send errors once client and redirect URI have been checked.
    struct ReturnAddress: Sendable {
        let redirect: RedirectURI
        let mode: Mode
        let state: String?
        /// The issuer in the response (RFC 9207), so that a client of several platforms cannot be made to redeem our
        /// code elsewhere.
        let issuer: String
    }
}

/// Which interaction the request requires or forbids (OpenID Connect Core section 3.1.2.1).
struct Prompt: OptionSet, Sendable {
    let rawValue: UInt8

    /// The person must not be asked for anything.
    static let none = Prompt(rawValue: 1)
    /// The person must authenticate again, even if signed in.
    static let login = Prompt(rawValue: 2)
    /// The person must be asked which account to use.
    static let selectAccount = Prompt(rawValue: 4)
    /// The person must be asked for consent.
    static let consent = Prompt(rawValue: 8)

    /// The values of the parameter, in the discovery document's order.
    static let words: [(word: String, prompt: Prompt)] = [
        ("none", .none), ("login", .login), ("select_account", .selectAccount), ("consent", .consent),
    ]

    init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Parses the list; nil for an unknown value, or for `none` together with another.
    init?(_ text: String) {
        var prompt: Prompt = []
        for word in text.split(separator: " ") {
            guard let known = Self.words.first(where: { $0.word == word })?.prompt else { return nil }
            prompt.insert(known)
        }
        guard !prompt.contains(.none) || prompt == .none else { return nil }
        self = prompt
    }
}
