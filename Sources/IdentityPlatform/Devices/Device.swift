// SPDX-License-Identifier: Apache-2.0
package import OAuth
package import Storage

package typealias DeviceObjectID = ID<Device>

/// A registered device of the directory.
package struct Device: Sendable {
    package let tenant: TenantID
    /// The device id of its certificate and of tokens.
    package let id: DeviceID
    /// Its id as an object of the directory, another one than ``id``.
    package let objectID: DeviceObjectID
    package let displayName: String
    package let operatingSystem: String
    package let operatingSystemVersion: String
    package let trustType: TrustType
    package let profileType: ProfileType
    package let isEnabled: Bool
    /// Whether an MDM manages it.
    package let isManaged: Bool
    let credentials: Credentials
    package let registered: Timestamp
    /// Who registered a device of their own; nil for a shared one, which is the organisation's.
    package let registeredOwner: UserID?
    /// The highest epoch that it has ever signed in under, or reported the end of.
    package let epoch: DeviceEpoch?
    /// Whether that epoch has ended, so that nothing begins in it any more.
    package let isEpochClosed: Bool

    /// How the device belongs to the organisation, in Graph's words.
    package enum TrustType: String, ColumnValue {
        case joined = "AzureAd"
        case registered = "Workplace"
    }

    /// What the device is for, in Graph's words.
    package enum ProfileType: String, ColumnValue {
        case personal = "RegisteredDevice"
        case shared = "Shared"
    }

    /// What the device proves itself with.
    struct Credentials: Sendable {
        /// SHA-256 of the certificate's DER. Another certificate of the same device is not it.
        let certificateHash: [UInt8]
        let certificateExpires: Timestamp
        /// The device key, SubjectPublicKeyInfo in DER.
        let deviceKey: [UInt8]
        /// The transport key, a JWK.
        let transportKey: [UInt8]
    }

    /// The device as sessions and tokens name it.
    package var binding: DeviceBinding { DeviceBinding(id: id, isShared: profileType == .shared) }
}
