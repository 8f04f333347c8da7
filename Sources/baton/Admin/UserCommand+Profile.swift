// SPDX-License-Identifier: Apache-2.0
import AdminAPI
import ArgumentParser
import CommandLineInterface

extension UserCommand {
    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Show a person's directory entry and active sessions.")
        @Argument(help: "The user name or id.") var user: String
        @OptionGroup var admin: AdminOptions

        /// The output for `--json`.
        private struct Shown: Encodable {
            let user: IdentityAdmin.User
            let sessions: [IdentityAdmin.Session]
        }

        func run() async throws {
            try await admin.output.run(
                {
                    let known = try await admin.call(IdentityAdmin.getUser(["user": user]))
                    let sessions = try await admin.call(IdentityAdmin.listSessions(query: [("user", known.id)]))
                    return Shown(user: known, sessions: sessions)
                }, lines: { Self.lines($0.user) + $0.sessions.map(Self.line) })
        }

        private static func lines(_ user: IdentityAdmin.User) -> [String] {
            let fields: [(String, String?)] = [
                ("user name", user.userPrincipalName), ("id", user.id), ("name", user.displayName),
                ("given name", user.givenName), ("surname", user.surname), ("mail", user.mail),
                ("job title", user.jobTitle), ("mobile phone", user.mobilePhone),
                ("enabled", user.accountEnabled ? "yes" : "no"),
                ("roles", user.roles.isEmpty ? nil : user.roles.joined(separator: ", ")),
            ]
            return fields.map { Self.line($0.0, $0.1 ?? "-") }
        }

        private static func line(_ session: IdentityAdmin.Session) -> String {
            let place = session.deviceName ?? session.device ?? "no device"
            return line("session", "\(session.id)  \(place)  since \(TextTable.time(session.begunAt))")
        }

        private static func line(_ name: String, _ value: String) -> String {
            name + String(repeating: " ", count: 14 - name.count) + TextTable.printable(value)
        }
    }

    struct Update: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Change a person's directory entry; omitted fields do not change.",
            discussion: "An empty text (\"\") clears a field, but not the name. The user name cannot be changed.")
        @Argument(help: "The user name or id.") var user: String
        @Option(help: "The name to show.") var name: String?
        @Option(help: "The given name.") var givenName: String?
        @Option(help: "The family name.") var surname: String?
        @Option(help: "The mail address.") var mail: String?
        @Option(help: "The job title.") var jobTitle: String?
        @Option(help: "The mobile phone's number.") var mobilePhone: String?
        @OptionGroup var admin: AdminOptions

        func validate() throws {
            guard [name, givenName, surname, mail, jobTitle, mobilePhone].contains(where: { $0 != nil }) else {
                throw ValidationError(
                    "Give what to change: --name, --given-name, --surname, --mail, --job-title or --mobile-phone.")
            }
        }

        func run() async throws {
            var change = IdentityAdmin.UserChange()
            (change.displayName, change.givenName, change.surname) = (name, givenName, surname)
            (change.mail, change.jobTitle, change.mobilePhone) = (mail, jobTitle, mobilePhone)
            try await admin.change(
                IdentityAdmin.changeUser(["user": user], body: change),
                done: "The directory entry is changed.")
        }
    }
}
