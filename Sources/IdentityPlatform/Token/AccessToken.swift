// SPDX-License-Identifier: Apache-2.0
package import OAuth
package import Storage

/// An access token that one of the platform's own resources has checked.
package struct AccessToken: Sendable {
    package let tenant: TenantID
    package let user: User
    package let session: Session
    package let client: ClientID
    package let permissions: [String]
    package let roles: [RoleID]
    /// Everything that it says.
    package let claims: Members
}
