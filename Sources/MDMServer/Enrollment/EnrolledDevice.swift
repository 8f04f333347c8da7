// SPDX-License-Identifier: Apache-2.0
package import Storage

/// An enrolled device. As an announcement, it means that there is work for the device and that the device should check
/// in.
package struct EnrolledDevice: Announcement, Hashable {
    package let tenant: TenantID
    package let udid: UDID

    package init(tenant: TenantID, udid: UDID) {
        self.tenant = tenant
        self.udid = udid
    }
}

/// An enrollment ended, because the device left or the server ended it.
struct EnrollmentEnd: Announcement {
    let device: EnrolledDevice
}
