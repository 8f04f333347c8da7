// SPDX-License-Identifier: Apache-2.0
package import OAuth

/// What a client asked for and gets: one resource, some of its permissions, and OpenID Connect's own scopes.
package struct GrantedScope: Sendable {
    package let resource: Resource
    /// The name that the client called the resource by, which becomes `aud`.
    package let audience: String
    /// The permissions, for `scp`.
    package let permissions: [String]
    /// The scopes as the client wrote them.
    package let requested: Scopes
    /// Those of them that it gets, for the reply: what is not among them was declined.
    package let granted: Scopes
    /// What stands for the request in a code or a refresh token; the older `resource` is a scope in it.
    package let lasting: String

    package var isOpenID: Bool { requested.contains(Scopes.openID) }
    package var wantsRefreshToken: Bool { requested.contains(Scopes.offlineAccess) }
}
