// SPDX-License-Identifier: Apache-2.0

/// The operations on enrollments.
extension MDMAdmin {
    package static let listEnrollments = Endpoint<Empty, [Enrollment]>(
        "listEnrollments", .get("/mdm/tenants/{tenant}/enrollments"), query: QueryParameter.paging,
        by: .roles(
            .globalAdministrator, .globalReader, .intuneAdministrator,
            permission: "DeviceManagementManagedDevices.Read.All"),
        effect: .reading,
        summary: "Lists the active enrollments, the newest first.",
        details:
            "States: `issued` (no device has used the profile), `bound` (the identity is in use), `renewing` (a new "
            + "identity is on its way to the device).")

    package static let addEnrollment = Endpoint<NewEnrollment, EnrollmentProfile>(
        "addEnrollment", .post("/mdm/tenants/{tenant}/enrollments"), status: 201,
        by: .roles(
            .globalAdministrator, .intuneAdministrator, permission: "DeviceManagementManagedDevices.ReadWrite.All"),
        effect: .change("mdm.enrollment.make"),
        errors: ["mdm.name", "mdm.device.missing", "mdm.device.ambiguous", "mdm.device.notManaged"],
        summary: "Creates an enrollment profile.",
        details: "The profile (Base64) contains the device's private key. It enrolls one device and expires after "
            + "a week. `takesOver` names an enrolled device that may use it, by an id or a unique name.")

    package static let revokeEnrollment = Endpoint<Empty, Empty>(
        "revokeEnrollment", .delete("/mdm/tenants/{tenant}/enrollments/{enrollment}"),
        by: .roles(
            .globalAdministrator, .intuneAdministrator, permission: "DeviceManagementManagedDevices.ReadWrite.All"),
        effect: .change("mdm.enrollment.revoke"),
        summary: "Revokes an enrollment profile that no device has used.")
}
