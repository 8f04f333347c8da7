// SPDX-License-Identifier: Apache-2.0
internal import Storage

/// How a person came in; the audit log's word for it.
package enum SignInMethod: String, ColumnValue {
    /// The sign-in page.
    case page
    /// Name and password at the token endpoint, where the operator allows it.
    case passwordGrant = "password"
    /// Name and password inside a device's request for a primary refresh token.
    case primaryRefreshToken = "prt"
    /// A code that was typed in on another device.
    case deviceCode = "device-code"
}
