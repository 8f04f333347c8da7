// SPDX-License-Identifier: Apache-2.0
package import OAuth
package import Storage

package typealias DeviceObjectID = ID<Device>

/// A device registered in the directory.
package struct Device: Sendable {
    package let tenant: TenantID
    /// The device id in its certificate and in tokens.
    package let id: DeviceID
    /// Its object id in the directory, which differs from ``id``.
    package let objectID: DeviceObjectID
    package let displayName: String
    package let operatingSystem: String
    package let operatingSystemVersion: String
    package let trustType: TrustType
    package let profileType: ProfileType
    package let isEnabled: Bool
    /// Whether an MDM server manages it.
    package let isManaged: Bool
    let credentials: Credentials
    package let registered: Timestamp
    /// The owner of a personal device; nil for a shared device, which belongs to the organisation.
    package let registeredOwner: UserID?
    /// The highest epoch in which it has signed in, or whose end it has reported.
    package let epoch: DeviceEpoch?
    /// Whether that epoch has ended. No session can begin in it any more.
    package let isEpochClosed: Bool

    /// How the device belongs to the organisation, in Graph's terms.
    package enum TrustType: String, ColumnValue {
        case joined = "AzureAd"
        case registered = "Workplace"
    }

    /// The purpose of the device, in Graph's terms.
    package enum ProfileType: String, ColumnValue {
        case personal = "RegisteredDevice"
        case shared = "Shared"
    }

    /// The credentials with which the device authenticates.
    struct Credentials: Sendable {
        /// SHA-256 of the certificate's DER. No other certificate of the same device is accepted.
        let certificateHash: [UInt8]
        let certificateExpires: Timestamp
        /// The device key, as SubjectPublicKeyInfo in DER.
        let deviceKey: [UInt8]
        /// The transport key, as a JWK.
        let transportKey: [UInt8]
    }

    /// The device in the form used by sessions and tokens.
    package var binding: DeviceBinding { DeviceBinding(id: id, isShared: profileType == .shared) }
}
