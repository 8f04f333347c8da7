// SPDX-License-Identifier: Apache-2.0
package import OAuth
package import Storage

package typealias DeviceObjectID = ID<Device>

/// A device registered in the directory.
package struct Device: Sendable {
    package let tenant: TenantID
    /// The device id in its certificate and in tokens.
    package let id: DeviceID
    /// The device's object id in the directory, which differs from ``id``.
    package let objectID: DeviceObjectID
    package let displayName: String
    package let operatingSystem: String
    package let operatingSystemVersion: String
    package let trustType: TrustType
    package let profileType: ProfileType
    package let isEnabled: Bool
    /// Whether an MDM server manages the device.
    package let isManaged: Bool
    let credentials: Credentials
    package let registered: Timestamp
    /// The owner of a personal device; nil for a shared device, which belongs to the organisation.
    package let registeredOwner: UserID?
    /// The latest epoch that the device has entered by a sign-in, or whose end it has reported.
    package let epoch: DeviceEpoch?
    /// Whether ``epoch`` has ended. If so, no session can begin in it.
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
        /// SHA-256 of the certificate's DER. No other certificate is accepted from the device.
        let certificateHash: [UInt8]
        let certificateExpires: Timestamp
        /// The device key, as SubjectPublicKeyInfo in DER.
        let deviceKey: [UInt8]
        /// The transport key, as a JWK.
        let transportKey: [UInt8]
    }

    /// The device's id and whether it is shared, as sessions store them.
    package var binding: DeviceBinding { DeviceBinding(id: id, isShared: profileType == .shared) }
}
