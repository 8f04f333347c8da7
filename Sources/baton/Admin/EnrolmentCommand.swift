// SPDX-License-Identifier: Apache-2.0
import AdminAPI
import ArgumentParser
import FoundationEssentials

/// Identities that the MDM made for devices.
struct EnrolmentCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "enrolment", abstract: "List enrolment profiles and identities; revoke what nobody has used.",
        subcommands: [List.self, Revoke.self])

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List the profiles nobody has used and the identities in use, the newest first.")
        @OptionGroup var admin: AdminOptions

        func run() async throws {
            try await admin.list(MDMAdmin.Path.enrolments, ["ID", "NAME", "STATE", "UDID", "EXPIRES"]) {
                (enrolment: MDMAdmin.Enrolment) in
                [
                    enrolment.id, enrolment.name, enrolment.state, enrolment.udid ?? "-",
                    Date(timeIntervalSince1970: Double(enrolment.expiresAt) / 1000).formatted(.iso8601),
                ]
            }
        }
    }

    struct Revoke: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Make an enrolment profile that no device has used useless.")
        @Argument(help: "The profile's id.") var enrolment: String
        @OptionGroup var admin: AdminOptions

        func run() async throws {
            try await admin.change(
                "DELETE", MDMAdmin.Path.enrolment, ["enrolment": enrolment], done: "The profile is of no use any more.")
        }
    }
}
