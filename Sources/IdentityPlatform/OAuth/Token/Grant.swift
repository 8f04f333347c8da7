// SPDX-License-Identifier: Apache-2.0
internal import Storage

/// The data from which tokens are made: the person, the application, the resource, and the session with its device.
package struct Grant: Sendable {
    package let tenant: Tenant
    package let user: User
    package let roles: [RoleID]
    package let client: Client
    package let session: Session
    package let scope: GrantedScope
    package let nonce: String?
    package let claims: ClaimsRequest
    package let version: TokenVersion
    /// The organisation's signing keys, if they were read together with the other data (``TenantKeys/shared(by:_:)``).
    package let keys: [TenantKey]?

    package init(
        tenant: Tenant, user: User, roles: [RoleID], client: Client, session: Session, scope: GrantedScope,
        nonce: String? = nil, claims: ClaimsRequest = .none, version: TokenVersion = .two,
        keys: [TenantKey]? = nil
    ) {
        self.tenant = tenant
        self.user = user
        self.roles = roles
        self.client = client
        self.session = session
        self.scope = scope
        self.nonce = nonce
        self.claims = claims
        self.version = version
        self.keys = keys
    }
}

/// A grant and its refresh token, if it has one. The refresh token is already stored durably.
struct IssuedGrant: Sendable {
    let grant: Grant
    let refreshToken: IssuedRefreshToken?
}

/// The two generations of the endpoints: `…/oauth2/token` takes a `resource` and returns numbers as strings,
/// `…/oauth2/v2.0/token` takes a `scope` and returns numbers. Their tokens differ in issuer and claims, but grant the
/// same access.
package enum TokenVersion: String, Sendable {
    case one = "1.0"
    case two = "2.0"
}
