// SPDX-License-Identifier: Apache-2.0
import AdminAPI
import ArgumentParser
import Glibc
import Redaction

/// People.
struct UserCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "user", abstract: "List, add and remove people.",
        subcommands: [List.self, Add.self, Remove.self, Password.self])

    struct List: AsyncParsableCommand {
        @OptionGroup var admin: AdminOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            try await output.run(
                {
                    try await admin.client.call("GET", admin.path(.users)) as [IdentityAdmin.User]
                },
                lines: { users in
                    Table.lines(
                        ["USER NAME", "NAME", "ROLES"],
                        users.map {
                            [$0.userPrincipalName, $0.displayName, $0.roles.joined(separator: ", ")]
                        })
                })
        }
    }

    struct Add: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Add a person; the password is read from standard input.")
        @Argument(help: "The user name, such as amara@contoso.example.") var userName: String
        @Option(help: "The name to show.") var name: String
        @Option var givenName: String?
        @Option var surname: String?
        @Option var mail: String?
        @Option var jobTitle: String?
        @Option var mobilePhone: String?
        @OptionGroup var admin: AdminOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            try await output.run(
                {
                    var user = IdentityAdmin.NewUser(
                        userPrincipalName: userName, displayName: name, password: try PasswordInput.read())
                    user.givenName = givenName
                    user.surname = surname
                    user.mail = mail
                    user.jobTitle = jobTitle
                    user.mobilePhone = mobilePhone
                    return try await admin.client.call("POST", admin.path(.users), body: user) as IdentityAdmin.User
                }, lines: { ["\($0.userPrincipalName) is there: user \($0.id)."] })
        }
    }

    struct Remove: AsyncParsableCommand {
        @Argument(help: "The user name or id.") var user: String
        @OptionGroup var admin: AdminOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            try await output.run(
                {
                    try await admin.client.call("DELETE", admin.path(.user, ["user": user]))
                }, done: "Removed.")
        }
    }

    struct Password: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Set a new password, read from standard input; ends every session of the person.")
        @Argument(help: "The user name or id.") var user: String
        @OptionGroup var admin: AdminOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            try await output.run(
                {
                    try await admin.client.call(
                        "PUT", admin.path(.password, ["user": user]),
                        body: IdentityAdmin.NewPassword(password: try PasswordInput.read()))
                }, done: "The password is set.")
        }
    }
}

/// A password from standard input, so that it stands in no command line and no history.
enum PasswordInput {
    /// Reads one line; at a terminal without echo.
    ///
    /// - Throws: ``CommandFailure`` where there is none.
    static func read() throws -> Sensitive<String> {
        let line =
            isatty(STDIN_FILENO) == 1 ? unsafe getpass("Password: ").map { unsafe String(cString: $0) } : readLine()
        guard let line, !line.isEmpty else {
            throw CommandFailure(
                code: "password_missing", message: "No password came on standard input.",
                remedy: "Type it, or pipe it in.")
        }
        return Sensitive(line)
    }
}
