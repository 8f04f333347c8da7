// SPDX-License-Identifier: Apache-2.0
import AdminAPI
import ArgumentParser

/// Manages groups of people and devices.
struct GroupCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "group", abstract: "List, add and remove groups, their members and their devices.",
        subcommands: [
            List.self, Add.self, Remove.self, AddMember.self, RemoveMember.self, Devices.self, AddDevice.self,
            RemoveDevice.self,
        ])

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "List the groups and their members.")
        @OptionGroup var names: NamePrefix
        @OptionGroup var admin: AdminOptions

        func run() async throws {
            try await admin.list(IdentityAdmin.listGroups(query: names.query), ["ID", "NAME", "DEVICES", "MEMBERS"]) {
                group in
                [group.id, group.displayName, String(group.deviceCount), group.members.joined(separator: ", ")]
            }
        }
    }

    struct Add: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Add an empty group.")
        @Argument(help: "The group's name.") var name: String
        @Option(help: "The group's purpose.") var description: String?
        @Option(help: "A name without spaces (default: derived from the group's name).") var nickname: String?
        @OptionGroup var admin: AdminOptions

        func run() async throws {
            try await admin.show(
                IdentityAdmin.addGroup(
                    body: IdentityAdmin.NewGroup(displayName: name, mailNickname: nickname, description: description))
            ) { group in ["\(group.displayName) was added: group \(group.id)."] }
        }
    }

    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Remove a group; its members and devices stay.")
        @Argument(help: "The group's name or id.") var group: String
        @OptionGroup var admin: AdminOptions

        func run() async throws {
            try await admin.change(IdentityAdmin.removeGroup(["group": group]), done: "Removed.")
        }
    }

    struct AddMember: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Add people to a group.")
        @Argument(help: "The group's name or id.") var group: String
        @OptionGroup var people: NameList
        @OptionGroup var admin: AdminOptions

        func run() async throws {
            try await people.change(IdentityAdmin.addGroupMember, of: group, each: "user", admin) {
                $0 == 1 ? "The person is in \(group)." : "The \($0) people are in \(group)."
            }
        }
    }

    struct RemoveMember: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Remove people from a group.")
        @Argument(help: "The group's name or id.") var group: String
        @OptionGroup var people: NameList
        @OptionGroup var admin: AdminOptions

        func run() async throws {
            try await people.change(IdentityAdmin.removeGroupMember, of: group, each: "user", admin) {
                $0 == 1 ? "The person is no longer in \(group)." : "The \($0) people are no longer in \(group)."
            }
        }
    }

    struct Devices: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "List the devices of a group.")
        @Argument(help: "The group's name or id.") var group: String
        @OptionGroup var names: NamePrefix
        @OptionGroup var admin: AdminOptions

        func run() async throws {
            try await admin.show(IdentityAdmin.listGroupDevices(["group": group], query: names.query)) { devices in
                ManagedDeviceCommand.List.lines(devices)
            }
        }
    }

    struct AddDevice: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Add devices to a group.")
        @Argument(help: "The group's name or id.") var group: String
        @OptionGroup var devices: NameList
        @OptionGroup var admin: AdminOptions

        func run() async throws {
            try await devices.change(IdentityAdmin.addGroupDevice, of: group, each: "device", admin) {
                $0 == 1 ? "The device is in \(group)." : "The \($0) devices are in \(group)."
            }
        }
    }

    struct RemoveDevice: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Remove devices from a group; they stay in the directory.")
        @Argument(help: "The group's name or id.") var group: String
        @OptionGroup var devices: NameList
        @OptionGroup var admin: AdminOptions

        func run() async throws {
            try await devices.change(IdentityAdmin.removeGroupDevice, of: group, each: "device", admin) {
                $0 == 1 ? "The device is no longer in \(group)." : "The \($0) devices are no longer in \(group)."
            }
        }
    }
}
