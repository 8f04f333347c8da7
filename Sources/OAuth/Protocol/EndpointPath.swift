// SPDX-License-Identifier: Apache-2.0

/// Paths that server and device share.
package enum EndpointPath {
    /// The v2 token endpoint of a tenant. It also issues nonces and accepts PRT requests.
    package static func token(tenant: String) -> String { "/\(tenant)/oauth2/v2.0/token" }

    /// The v2 authorization endpoint of a tenant.
    package static func authorize(tenant: String) -> String { "/\(tenant)/oauth2/v2.0/authorize" }

    /// The endpoint at which the device ends a session (Baton's own).
    package static func endSession(tenant: String) -> String { "/\(tenant)/oauth2/v2.0/device/endsession" }

    /// The endpoint at which the device leaves the directory (Baton's own).
    package static func leave(tenant: String) -> String { "/\(tenant)/oauth2/v2.0/device/leave" }

    /// The endpoint at which the device queries its own status and the status of its session (Baton's own).
    package static func sessionState(tenant: String) -> String { "/\(tenant)/oauth2/v2.0/device/sessionstate" }

    /// The endpoint at which the device gets its newest receipt countersigned (Baton's own).
    package static func receiptAnchor(tenant: String) -> String { "/\(tenant)/oauth2/v2.0/device/receiptanchor" }

    /// The endpoint at which the device requests offline leases and checks existing ones (Baton's own).
    package static func offlineLeases(tenant: String) -> String { "/\(tenant)/oauth2/v2.0/device/offlineleases" }

    /// The endpoint at which a client revokes a token (RFC 7009).
    package static func revocation(tenant: String) -> String { "/\(tenant)/oauth2/v2.0/revoke" }

    /// The endpoint with the organisation's signing keys, as a key set (RFC 7517).
    package static func signingKeys(tenant: String) -> String { "/\(tenant)/discovery/v2.0/keys" }

    /// Device registration: discovery (MS-DVRJ; the cloud's dialect).
    package static func registrationDiscovery(tenant: String) -> String { "/\(tenant)/Discover" }

    /// Device registration: the nonce for the certificate request.
    package static func registrationNonce(tenant: String) -> String { "/EnrollmentServer/nonce/\(tenant)/" }

    /// Device registration: the join, and the prefix of each device's own URL.
    package static let registration = "/EnrollmentServer/device/"

    /// Device registration: a worker's own key on a device.
    package static let helloKey = "/EnrollmentServer/key/"
}
