// SPDX-License-Identifier: Apache-2.0
package import OAuth
package import Storage

package typealias ClientID = ID<Client>

/// An application registration.
package struct Client: Sendable {
    package let tenant: TenantID
    package let id: ClientID
    package let displayName: String
    package let redirectURIs: [String]
    /// Where a browser may be led after a sign-out (OpenID Connect RP-Initiated Logout 1.0 section 3.1); a list of its own.
    package let logoutURIs: [String]
    /// The applications whose tokens it may ask for without a person's consent.
    package let resources: [ClientID]
    /// The permissions that it may have of them; where it names none of a resource's, that resource's ordinary ones.
    package let permissions: [String]
    /// Whether it may hold primary refresh tokens: a right of its own, which no resource brings along.
    package let isBroker: Bool
    /// Whether it can keep no secret (RFC 6749 section 2.1), like everything that runs on a shared device.
    package let isPublic: Bool
    /// Whether it gets anything at all. What it had got is of no use either, until it is enabled again.
    package let isEnabled: Bool
    /// What its tokens are signed with: RS256, or ES256.
    package let tokenAlgorithm: SignatureAlgorithm

    package init(
        tenant: TenantID, id: ClientID, displayName: String, redirectURIs: [String], logoutURIs: [String] = [],
        resources: [ClientID], permissions: [String] = [], isBroker: Bool = false, isPublic: Bool = true,
        isEnabled: Bool = true, tokenAlgorithm: SignatureAlgorithm = .rs256
    ) {
        (self.tenant, self.id, self.displayName) = (tenant, id, displayName)
        (self.redirectURIs, self.logoutURIs) = (redirectURIs, logoutURIs)
        (self.resources, self.permissions) = (resources, permissions)
        (self.isBroker, self.isPublic, self.isEnabled) = (isBroker, isPublic, isEnabled)
        self.tokenAlgorithm = tokenAlgorithm
    }

    /// Whether a redirect URI is registered: equal as text, but for the port of a loopback address (RFC 8252
    /// section 7.3).
    package func allowsRedirect(to uri: RedirectURI) -> Bool { Self.hold(uri, redirectURIs) }

    /// Whether a browser may be led there after a sign-out.
    package func allowsReturn(to uri: RedirectURI) -> Bool { Self.hold(uri, logoutURIs) }

    /// What an administrator should know of its addresses.
    var warnings: [String] {
        Set(redirectURIs + logoutURIs).sorted().flatMap { RedirectURI($0)?.warnings ?? [] }
    }

    private static func hold(_ uri: RedirectURI, _ registered: [String]) -> Bool {
        registered.contains { text in
            text == uri.text || RedirectURI(text).map { $0.isLoopback && $0.matchesButForPort(uri) } == true
        }
    }
}
