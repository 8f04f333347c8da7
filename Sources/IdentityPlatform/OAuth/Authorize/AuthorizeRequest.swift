// SPDX-License-Identifier: Apache-2.0
internal import OAuth
internal import Storage

/// An authorisation request that has been checked (RFC 6749 section 4.1.1, RFC 7636, OpenID Connect Core 3.1.2.1).
struct AuthorizeRequest: Sendable {
    let tenant: Tenant
    let client: Client
    let address: ReturnAddress
    let nonce: String?
    let scope: GrantedScope
    /// The scopes to be kept until the code is redeemed, a `resource` of the older dialect among them.
    let scopeText: String
    /// PKCE, S256; nil for an older client that knows none, where the operator lets such in.
    let challenge: String?
    let prompt: Prompt
    let loginHint: String?
    /// The person whom the request is for, by the id token that the client shows.
    let hinted: UserID?
    let maxAge: Duration?
    let wantsClientInfo: Bool
    /// The request as it came, for the form.
    let parameters: FormParameters

    var redirect: RedirectURI { address.redirect }

    /// How the answer travels (OAuth 2.0 Multiple Response Types section 2.1, Form Post Response Mode).
    enum Mode: String, CaseIterable { case query, fragment, formPost = "form_post" }

    /// Where errors may be sent once client and redirect URI are known to belong together.
    struct ReturnAddress: Sendable {
        let redirect: RedirectURI
        let mode: Mode
        let state: String?
        /// Who answers (RFC 9207): a client of several platforms is not talked into redeeming our code elsewhere.
        let issuer: String
    }
}

/// What the request says about asking the person (OpenID Connect Core section 3.1.2.1).
struct Prompt: OptionSet, Sendable {
    let rawValue: UInt8

    /// The person must not be asked anything.
    static let none = Prompt(rawValue: 1)
    /// The person must show anew who they are, signed in or not.
    static let login = Prompt(rawValue: 2)
    /// The person must be asked who they want to be.
    static let selectAccount = Prompt(rawValue: 4)
    /// The person must be asked whether the application may have what it asks for.
    static let consent = Prompt(rawValue: 8)

    /// The words of the list, in the discovery document's order.
    static let words: [(word: String, prompt: Prompt)] = [
        ("none", .none), ("login", .login), ("select_account", .selectAccount), ("consent", .consent),
    ]

    init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Reads the list; nil for an unknown word, or `none` beside another.
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
