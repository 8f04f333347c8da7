// SPDX-License-Identifier: Apache-2.0
import AdminAPI
import ArgumentParser

/// Manages groups of people.
struct GroupCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "group", abstract: "List, add and remove groups and their members.",
        subcommands: [List.self, Add.self, Remove.self, AddMember.self, RemoveMember.self])

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "List the groups and their members.")
        @OptionGroup var names: NamePrefix
        @OptionGroup var admin: AdminOptions

        func run() async throws {
            try await admin.list(IdentityAdmin.listGroups(query: names.query), ["ID", "NAME", "MEMBERS"]) { group in
                [group.id, group.displayName, group.members.joined(separator: ", ")]
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
        static let configuration = CommandConfiguration(abstract: "Remove a group; its members stay.")
        @Argument(help: "The group's name or id.") var group: String
        @OptionGroup var admin: AdminOptions

        func run() async throws {
            try await admin.change(IdentityAdmin.removeGroup(["group": group]), done: "Removed.")
        }
    }

    struct AddMember: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Add a person to a group.")
        @OptionGroup var membership: Membership

        func run() async throws {
            try await membership.change(
                IdentityAdmin.addGroupMember, done: "\(membership.user) is in \(membership.group).")
        }
    }

    struct RemoveMember: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Remove a person from a group.")
        @OptionGroup var membership: Membership

        func run() async throws {
            try await membership.change(
                IdentityAdmin.removeGroupMember, done: "\(membership.user) is no longer in \(membership.group).")
        }
    }

    struct Membership: ParsableArguments {
        @Argument(help: "The group's name or id.") var group: String
        @Argument(help: "The user name or id.") var user: String
        @OptionGroup var admin: AdminOptions

        func change(_ endpoint: Endpoint<Empty, Empty>, done: String) async throws {
            try await admin.change(endpoint(["group": group, "user": user]), done: done)
        }
    }
}
