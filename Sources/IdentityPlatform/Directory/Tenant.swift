// SPDX-License-Identifier: Apache-2.0
package import Storage

/// An organisation. Every other row of the directory belongs to an organisation.
package struct Tenant: Sendable {
    package let id: TenantID
    package let displayName: String
    /// The verified domain that identifies the organisation in URLs and user names.
    package let domain: String
    /// The secret input of the pairwise subject identifiers (OpenID Connect Core section 8.1).
    let pairwiseSalt: [UInt8]
}
