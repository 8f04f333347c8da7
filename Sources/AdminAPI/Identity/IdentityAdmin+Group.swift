// SPDX-License-Identifier: Apache-2.0

extension IdentityAdmin {
    package struct Group: Codable, Sendable, Equatable {
        package let id: String
        package let displayName: String
        package let description: String?
        /// User principal names of the members.
        package let members: [String]
        /// How many devices are in the group.
        package let deviceCount: Int

        package init(id: String, displayName: String, description: String?, members: [String], deviceCount: Int) {
            self.id = id
            self.displayName = displayName
            self.description = description
            self.members = members
            self.deviceCount = deviceCount
        }
    }

    /// A group to create, without members and devices.
    package struct NewGroup: Codable, Sendable {
        package let displayName: String
        /// A name without spaces. The default is derived from the display name.
        package let mailNickname: String?
        package let description: String?

        package init(displayName: String, mailNickname: String? = nil, description: String? = nil) {
            self.displayName = displayName
            self.mailNickname = mailNickname
            self.description = description
        }
    }
}

/// The operations on groups.
extension IdentityAdmin {
    package static let listGroups = Endpoint<Empty, [Group]>(
        "listGroups", .get("/identity/tenants/{tenant}/groups"), query: QueryParameter.pagingByName,
        by: .roles(
            .globalAdministrator, .globalReader, .userAdministrator, .helpdeskAdministrator,
            .authenticationAdministrator, .cloudDeviceAdministrator, .intuneAdministrator,
            permission: "Group.Read.All"),
        effect: .reading,
        summary: "Lists the groups with their members.")

    package static let getGroup = Endpoint<Empty, Group>(
        "getGroup", .get("/identity/tenants/{tenant}/groups/{group}"),
        by: .roles(
            .globalAdministrator, .globalReader, .userAdministrator, .helpdeskAdministrator,
            .authenticationAdministrator, .cloudDeviceAdministrator, .intuneAdministrator,
            permission: "Group.Read.All"),
        effect: .reading,
        summary: "Returns a group with its members.")

    package static let addGroup = Endpoint<NewGroup, Group>(
        "addGroup", .post("/identity/tenants/{tenant}/groups"), status: 201,
        by: .roles(.globalAdministrator, .userAdministrator, permission: "Group.ReadWrite.All"),
        effect: .change("group.add"),
        errors: [
            "identity.display.name", "identity.text.malformed", "identity.group.nickname", "identity.name.taken",
        ],
        summary: "Adds an empty group.")

    package static let removeGroup = Endpoint<Empty, Empty>(
        "removeGroup", .delete("/identity/tenants/{tenant}/groups/{group}"),
        by: .roles(.globalAdministrator, .userAdministrator, permission: "Group.ReadWrite.All"),
        effect: .change("group.remove"),
        summary: "Removes a group; its members and devices stay in the directory.")

    package static let addGroupMember = Endpoint<Empty, Empty>(
        "addGroupMember", .put("/identity/tenants/{tenant}/groups/{group}/members/{user}"),
        by: .roles(.globalAdministrator, .userAdministrator, permission: "Group.ReadWrite.All"),
        effect: .change("group.member.add"),
        summary: "Adds a person to a group.",
        details: "Succeeds also if the person is already in the group.")

    package static let removeGroupMember = Endpoint<Empty, Empty>(
        "removeGroupMember", .delete("/identity/tenants/{tenant}/groups/{group}/members/{user}"),
        by: .roles(.globalAdministrator, .userAdministrator, permission: "Group.ReadWrite.All"),
        effect: .change("group.member.remove"),
        summary: "Removes a person from a group.",
        details: "Succeeds also if the person is not in the group.")

    package static let listGroupDevices = Endpoint<Empty, [Device]>(
        "listGroupDevices", .get("/identity/tenants/{tenant}/groups/{group}/devices"),
        query: QueryParameter.pagingByName,
        by: .roles(
            .globalAdministrator, .globalReader, .cloudDeviceAdministrator, .intuneAdministrator,
            .helpdeskAdministrator, permission: "Device.Read.All"),
        effect: .reading,
        summary: "Lists the devices of a group.")

    package static let addGroupDevice = Endpoint<Empty, Empty>(
        "addGroupDevice", .put("/identity/tenants/{tenant}/groups/{group}/devices/{device}"),
        by: .roles(
            .globalAdministrator, .cloudDeviceAdministrator, .intuneAdministrator, permission: "Group.ReadWrite.All"),
        effect: .change("group.device.add"),
        summary: "Adds a device to a group.",
        details: "Succeeds also if the device is already in the group. A device can be in several groups.")

    package static let removeGroupDevice = Endpoint<Empty, Empty>(
        "removeGroupDevice", .delete("/identity/tenants/{tenant}/groups/{group}/devices/{device}"),
        by: .roles(
            .globalAdministrator, .cloudDeviceAdministrator, .intuneAdministrator, permission: "Group.ReadWrite.All"),
        effect: .change("group.device.remove"),
        summary: "Removes a device from a group; the device stays in the directory.",
        details: "Succeeds also if the device is not in the group.")
}
