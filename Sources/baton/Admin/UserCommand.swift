// SPDX-License-Identifier: Apache-2.0
import AdminAPI
import ArgumentParser
import CommandLineInterface
import Redaction

/// Manages the people of an organisation.
struct UserCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "user", abstract: "List, show, add, change, export and remove people.",
        subcommands: [
            List.self, Show.self, Add.self, Update.self, Remove.self, Password.self, Unlock.self, Disable.self,
            Enable.self,
            RevokeSessions.self, Export.self, Erase.self,
        ])

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "List the people and their roles.")
        @OptionGroup var names: NamePrefix
        @OptionGroup var admin: AdminOptions

        func run() async throws {
            try await admin.list(
                IdentityAdmin.listUsers(query: names.query), ["USER NAME", "NAME", "ENABLED", "ROLES"]
            ) { user in
                [
                    user.userPrincipalName, user.displayName, user.accountEnabled ? "yes" : "no",
                    user.roles.isEmpty ? "-" : user.roles.joined(separator: ", "),
                ]
            }
        }
    }

    struct Add: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Add a person; the password is read from standard input.")
        @Argument(help: "The user name, such as amara@contoso.example.") var userName: String
        @Option(help: "The name to show.") var name: String
        @Option(help: "The given name.") var givenName: String?
        @Option(help: "The family name.") var surname: String?
        @Option(help: "The mail address.") var mail: String?
        @Option(help: "The job title.") var jobTitle: String?
        @Option(help: "The mobile phone's number.") var mobilePhone: String?
        @OptionGroup var admin: AdminOptions

        func run() async throws {
            try await admin.show(IdentityAdmin.addUser(body: newUser())) { user in
                ["\(user.userPrincipalName) was added: user \(user.id)."]
            }
        }

        private func newUser() throws -> IdentityAdmin.NewUser {
            var user = IdentityAdmin.NewUser(
                userPrincipalName: userName, displayName: name, password: try PasswordInput.read())
            user.givenName = givenName
            user.surname = surname
            user.mail = mail
            user.jobTitle = jobTitle
            user.mobilePhone = mobilePhone
            return user
        }
    }

    struct Disable: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Disable a person's sign-in; ends all their sessions.")
        @Argument(help: "The user name or id.") var user: String
        @OptionGroup var admin: AdminOptions

        func run() async throws {
            try await admin.change(
                IdentityAdmin.changeUser(["user": user], body: IdentityAdmin.UserChange(accountEnabled: false)),
                done: "The account is disabled.")
        }
    }

    struct Enable: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Let a person sign in again.")
        @Argument(help: "The user name or id.") var user: String
        @OptionGroup var admin: AdminOptions

        func run() async throws {
            try await admin.change(
                IdentityAdmin.changeUser(["user": user], body: IdentityAdmin.UserChange(accountEnabled: true)),
                done: "The account is enabled.")
        }
    }

    struct Unlock: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Let a person try passwords again after too many wrong ones.")
        @Argument(help: "The user name or id.") var user: String
        @OptionGroup var admin: AdminOptions

        func run() async throws {
            try await admin.change(IdentityAdmin.unlockUser(["user": user]), done: "Unlocked.")
        }
    }

    struct RevokeSessions: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "End every session of a person; each of their devices signs out.")
        @Argument(help: "The user name or id.") var user: String
        @OptionGroup var admin: AdminOptions

        func run() async throws {
            try await admin.change(
                IdentityAdmin.revokeUserSessions(["user": user]), done: "All their sessions have ended.")
        }
    }

    struct Password: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Set a new password, read from standard input; ends every session of the person.")
        @Argument(help: "The user name or id.") var user: String
        @OptionGroup var admin: AdminOptions

        func run() async throws {
            try await admin.change(
                IdentityAdmin.setPassword(
                    ["user": user], body: IdentityAdmin.NewPassword(password: PasswordInput.read())),
                done: "The password is set.")
        }
    }
}

/// Reads a password from standard input, so that it does not appear in a command line or a shell history.
enum PasswordInput {
    /// Reads one line. If standard input is a terminal, the line is not echoed.
    ///
    /// - Throws: ``CommandFailure`` if there is no line, or as ``InputLine/readHidden(asking:)``.
    static func read() throws -> Sensitive<String> {
        guard let line = try InputLine.readHidden(asking: "Password: "), !line.isEmpty else {
            throw CommandFailure(
                code: "password_missing", message: "There is no password on standard input.",
                remedy: "Type it, or pipe it in.")
        }
        return Sensitive(line)
    }
}
