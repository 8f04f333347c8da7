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
    /// The scopes to store until the code is redeemed, including the `resource` of version 1.
    let scopeText: String
    /// The PKCE code challenge, method S256. Nil if the client does not use PKCE; the operator must have allowed this.
    let challenge: String?
    let prompt: Prompt
    let loginHint: String?
    /// The person that the id token hint names. Only this person may sign in.
    let hinted: UserID?
    let maxAge: Duration?
    let wantsClientInfo: Bool
    /// The original request, for the forms of our pages.
    let parameters: FormParameters

    var redirect: RedirectURI { address.redirect }

    /// How the response is returned (OAuth 2.0 Multiple Response Types section 2.1, Form Post Response Mode).
    enum Mode: String, CaseIterable { case query, fragment, formPost = "form_post" }

    /// Where to send the response or the error, once the client and the redirect URI have been checked.
    struct ReturnAddress: Sendable {
        let redirect: RedirectURI
        let mode: Mode
        let state: String?
        /// The issuer in the response (RFC 9207), so that a client that uses several servers cannot be made to redeem
        /// our code at another server.
        let issuer: String
    }
}

/// The interaction that the request requires or forbids (OpenID Connect Core section 3.1.2.1).
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

    /// The values of the parameter `prompt`, in the order of the discovery document.
    static let words: [(word: String, prompt: Prompt)] = [
        ("none", .none), ("login", .login), ("select_account", .selectAccount), ("consent", .consent),
    ]

    init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Parses the list; returns nil for an unknown value, or for `none` together with another value.
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
