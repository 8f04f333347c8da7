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
    /// The allowed redirect URIs after a sign-out (OpenID Connect RP-Initiated Logout 1.0 section 3.1), separate from
    /// ``redirectURIs``.
    package let logoutURIs: [String]
    /// The resources for which the application may request tokens without a person's consent.
    package let resources: [ClientID]
    /// The permissions that the application may have. If none of a resource's permissions is listed here, the resource
    /// grants its default permissions.
    package let permissions: [String]
    /// Whether the application may have primary refresh tokens. This right is independent of the resources.
    package let isBroker: Bool
    /// Whether the application is a public client, which cannot keep a secret (RFC 6749 section 2.1). Every app on a
    /// shared device is a public client.
    package let isPublic: Bool
    /// Whether the application can get tokens. While it is disabled, its existing tokens cannot be used either.
    package let isEnabled: Bool
    /// The signature algorithm of the application's tokens: RS256 or ES256.
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

    /// Whether the application gets tokens for the administration on behalf of people.
    var isOfAdministration: Bool { resources.contains(ResourceCatalogue.administrationApplication) }

    /// Returns whether a redirect URI is registered. The URI must be equal to a registered one as text; only the port
    /// of a loopback address may differ (RFC 8252 section 7.3).
    package func allowsRedirect(to uri: RedirectURI) -> Bool { Self.hold(uri, redirectURIs) }

    /// Returns whether a browser may be redirected to a URI after a sign-out.
    package func allowsReturn(to uri: RedirectURI) -> Bool { Self.hold(uri, logoutURIs) }

    /// Warnings for administrators about the redirect URIs.
    var warnings: [String] {
        Set(redirectURIs + logoutURIs).sorted().flatMap { RedirectURI($0)?.warnings ?? [] }
    }

    private static func hold(_ uri: RedirectURI, _ registered: [String]) -> Bool {
        registered.contains { text in
            text == uri.text || RedirectURI(text).map { $0.isLoopback && $0.matchesButForPort(uri) } == true
        }
    }
}
