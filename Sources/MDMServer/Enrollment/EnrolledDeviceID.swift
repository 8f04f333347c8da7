// SPDX-License-Identifier: Apache-2.0
internal import Crypto
internal import Encodings
internal import MDMProtocol
package import Storage

/// An enrolled device.
package struct EnrolledDeviceID: Hashable, Sendable {
    package let tenant: TenantID
    package let udid: UDID

    package init(tenant: TenantID, udid: UDID) {
        self.tenant = tenant
        self.udid = udid
    }

    /// The reference to this device in announcements.
    package var reference: DeviceReference { DeviceReference(self) }
}

/// A reference to an enrolled device, for announcements. It does not reveal the device's own identifier, because others
/// can read announcements.
package struct DeviceReference: Hashable, Sendable {
    package let tenant: TenantID
    /// The beginning of the SHA-256 of tenant and UDID: 32 hexadecimal digits.
    private let digest: String

    fileprivate init(_ device: EnrolledDeviceID) {
        tenant = device.tenant
        let digest = SHA256.hash(data: Array("\(device.tenant) \(device.udid)".utf8))
        self.digest = Hexadecimal.text(Array(digest.prefix(16)))
    }

    fileprivate var key: String { "\(tenant)/\(digest)" }

    fileprivate init?(key: String) {
        let parts = key.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2, let tenant = TenantID(rawValue: parts[0]), parts[1].utf8.count == 32,
            Hexadecimal.bytes(parts[1]) != nil
        else { return nil }
        (self.tenant, digest) = (tenant, parts[1])
    }
}

/// The announcement that there is work for a device, and that the device should check in.
package struct DeviceWork: Announcement, Hashable {
    package let device: DeviceReference

    init(_ device: EnrolledDeviceID) { self.device = device.reference }

    package var message: AnnouncementMessage { AnnouncementMessage(kind: Self.kind, key: device.key) }

    package init?(_ message: AnnouncementMessage) {
        guard message.kind == Self.kind, let device = DeviceReference(key: message.key) else { return nil }
        self.device = device
    }

    private static let kind = "device-work"
}

/// The announcement that an enrollment ended, because the device left or the server ended the enrollment.
package struct EnrollmentEnd: Announcement, Hashable {
    package let device: DeviceReference

    init(_ device: EnrolledDeviceID) { self.device = device.reference }

    package var message: AnnouncementMessage { AnnouncementMessage(kind: Self.kind, key: device.key) }

    package init?(_ message: AnnouncementMessage) {
        guard message.kind == Self.kind, let device = DeviceReference(key: message.key) else { return nil }
        self.device = device
    }

    private static let kind = "enrollment-end"
}
