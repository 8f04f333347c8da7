// SPDX-License-Identifier: Apache-2.0

/// An application that access tokens are made for.
package struct Resource: Sendable {
    package let application: ClientID
    /// The names it goes by as `resource`, as the front part of a scope and as `aud`; no trailing slash.
    package let identifiers: [String]
    /// The permissions that it knows; `.default` asks for all of them.
    package let permissions: [String]
}
