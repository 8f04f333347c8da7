// SPDX-License-Identifier: Apache-2.0

/// Paths that server and device both know.
package enum EndpointPath {
    /// The v2 token endpoint of a tenant, which also gives nonces and takes PRT requests.
    package static func token(tenant: String) -> String { "/\(tenant)/oauth2/v2.0/token" }

    /// The v2 authorisation endpoint of a tenant.
    package static func authorize(tenant: String) -> String { "/\(tenant)/oauth2/v2.0/authorize" }

    /// The device ends a session here (Baton's own).
    package static func endSession(tenant: String) -> String { "/\(tenant)/oauth2/v2.0/device/endsession" }

    /// The device leaves the directory here (Baton's own).
    package static func leave(tenant: String) -> String { "/\(tenant)/oauth2/v2.0/device/leave" }

    /// The device asks here how it and its session stand (Baton's own).
    package static func sessionState(tenant: String) -> String { "/\(tenant)/oauth2/v2.0/device/sessionstate" }

    /// The device has its newest receipt countersigned here (Baton's own).
    package static func receiptAnchor(tenant: String) -> String { "/\(tenant)/oauth2/v2.0/device/receiptanchor" }

    /// The device asks here for leases of offline sign-in, and how its own stand (Baton's own).
    package static func offlineLeases(tenant: String) -> String { "/\(tenant)/oauth2/v2.0/device/offlineleases" }

    /// A client gives a token back here (RFC 7009).
    package static func revocation(tenant: String) -> String { "/\(tenant)/oauth2/v2.0/revoke" }

    /// The organisation's signing keys, as a key set (RFC 7517).
    package static func signingKeys(tenant: String) -> String { "/\(tenant)/discovery/v2.0/keys" }

    /// Device registration: discovery (MS-DVRJ; the cloud's dialect).
    package static func registrationDiscovery(tenant: String) -> String { "/\(tenant)/Discover" }

    /// Device registration: a nonce for the certificate request.
    package static func registrationNonce(tenant: String) -> String { "/EnrollmentServer/nonce/\(tenant)/" }

    /// Device registration: join, and the stem of a device's own address.
    package static let registration = "/EnrollmentServer/device/"

    /// Device registration: a worker's own key of a device.
    package static let helloKey = "/EnrollmentServer/key/"
}
