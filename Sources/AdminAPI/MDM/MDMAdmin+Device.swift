// SPDX-License-Identifier: Apache-2.0

/// The operations on devices under management and their commands.
extension MDMAdmin {
    package static let listManagedDevices = Endpoint<Empty, [Device]>(
        "listManagedDevices", .get("/mdm/tenants/{tenant}/devices"), query: QueryParameter.pagingByName,
        by: .roles(
            .globalAdministrator, .globalReader, .intuneAdministrator,
            permission: "DeviceManagementManagedDevices.Read.All"),
        effect: .reading,
        summary: "Lists the devices under management with their profiles, apps and waiting commands.")

    package static let getManagedDevice = Endpoint<Empty, Device>(
        "getManagedDevice", .get("/mdm/tenants/{tenant}/devices/{device}"),
        by: .roles(
            .globalAdministrator, .globalReader, .intuneAdministrator,
            permission: "DeviceManagementManagedDevices.Read.All"),
        effect: .reading,
        summary: "Returns a device under management.")

    package static let unenrollDevice = Endpoint<Empty, Empty>(
        "unenrollDevice", .delete("/mdm/tenants/{tenant}/devices/{device}"),
        by: .roles(
            .globalAdministrator, .intuneAdministrator,
            permission: "DeviceManagementManagedDevices.PrivilegedOperations.All"),
        effect: .danger("mdm.device.remove"),
        summary: "Unenrolls a device; at its next check-in it removes everything that management installed.")

    package static let listCommands = Endpoint<Empty, [Command]>(
        "listCommands", .get("/mdm/tenants/{tenant}/devices/{device}/commands"),
        by: .roles(
            .globalAdministrator, .globalReader, .intuneAdministrator,
            permission: "DeviceManagementManagedDevices.Read.All"),
        effect: .reading,
        summary: "Lists a device's commands and their results, the newest first.",
        details: "The last 200 completed commands are kept, for 400 days or `commandDays`.")

    package static let queryInventory = Endpoint<Empty, [Command]>(
        "queryInventory", .post("/mdm/tenants/{tenant}/devices/{device}/inventory"), status: 202,
        by: .roles(
            .globalAdministrator, .intuneAdministrator, permission: "DeviceManagementManagedDevices.ReadWrite.All"),
        effect: .change("mdm.command.queue"),
        errors: ["mdm.device.notEnrolled", "mdm.queue.full"],
        summary: "Queues commands that query the device's profiles and apps.")
}
