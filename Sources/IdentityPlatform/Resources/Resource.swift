// SPDX-License-Identifier: Apache-2.0
internal import Storage

/// An application that access tokens are made for.
package struct Resource: Sendable {
    package let application: ClientID
    /// The names it goes by as `resource`, as the front part of a scope and as `aud`; no trailing slash.
    package let identifiers: [String]
    /// The permissions that it knows. What one lets a token do, the person of the token must be allowed, too.
    package let permissions: [String]
    /// Those of them that a client may have without being registered for any by name.
    package let ordinary: [String]

    /// The permissions that a client may have of it; `.default` asks for all of these.
    func permissions(of client: Client) -> [String] {
        let registered = Set(client.permissions.map { $0.lowercased() })
        let named = permissions.filter { registered.contains($0.lowercased()) }
        return named.isEmpty ? ordinary : named
    }
}
