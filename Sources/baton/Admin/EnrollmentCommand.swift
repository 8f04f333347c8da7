// SPDX-License-Identifier: Apache-2.0
import AdminAPI
import ArgumentParser
import CommandLineInterface

/// Manages the identities that the MDM created for devices.
struct EnrollmentCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "enrollment", abstract: "List enrollment profiles and identities; revoke unused profiles.",
        subcommands: [List.self, Revoke.self])

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List the unused profiles and the identities in use, newest first.")
        @OptionGroup var admin: AdminOptions

        func run() async throws {
            try await admin.list(MDMAdmin.listEnrollments(), ["ID", "NAME", "STATE", "UDID", "EXPIRES"]) { enrollment in
                [
                    enrollment.id, enrollment.name, enrollment.state, enrollment.udid ?? "-",
                    TextTable.time(enrollment.expiresAt),
                ]
            }
        }
    }

    struct Revoke: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Revoke an enrollment profile that no device has used.")
        @Argument(help: "The profile's id.") var enrollment: String
        @OptionGroup var admin: AdminOptions

        func run() async throws {
            try await admin.change(
                MDMAdmin.revokeEnrollment(["enrollment": enrollment]), done: "The profile can no longer be used.")
        }
    }
}
