// SPDX-License-Identifier: Apache-2.0
package import Storage

/// An enrolled device; as an announcement: something waits for it here, and it should come.
package struct EnrolledDevice: Announcement, Hashable {
    package let tenant: TenantID
    package let udid: UDID

    package init(tenant: TenantID, udid: UDID) {
        self.tenant = tenant
        self.udid = udid
    }
}

/// An enrollment ended: by the device's word, or here.
struct EnrollmentEnd: Announcement {
    let device: EnrolledDevice
}
