// SPDX-License-Identifier: Apache-2.0
import AdminAPI
import ArgumentParser
import FoundationEssentials

/// Configuration profiles.
struct ProfileCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "profile", abstract: "List and add profiles; push them to devices and remove them there.",
        subcommands: [List.self, Add.self, Push.self, Remove.self])

    struct List: AsyncParsableCommand {
        @OptionGroup var admin: AdminOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            try await output.run(
                {
                    try await admin.client.call("GET", admin.path(.profiles)) as [MDMAdmin.Profile]
                }, lines: { Table.lines(["IDENTIFIER", "NAME"], $0.map { [$0.identifier, $0.displayName ?? ""] }) })
        }
    }

    struct Add: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Add a profile: a file, or the single sign-on profile of shared device mode.")
        @Option(help: "A profile (.mobileconfig).") var file: String?
        @Option(parsing: .upToNextOption, help: "Sign-in URLs of the organisation for the shared device profile.")
        var sharedDevice: [String] = []
        @OptionGroup var admin: AdminOptions
        @OptionGroup var output: OutputOptions

        func validate() throws {
            guard (file == nil) != sharedDevice.isEmpty else {
                throw ValidationError("Give either --file or --shared-device.")
            }
        }

        func run() async throws {
            try await output.run(
                {
                    try await admin.client.call("POST", admin.path(.profiles), body: try body()) as MDMAdmin.Profile
                }, lines: { ["\($0.identifier) is there."] + $0.warnings.map { "warning: \($0)" } })
        }

        private func body() throws -> MDMAdmin.NewProfile {
            guard let file else { return .sharedDevice(urls: sharedDevice) }
            guard let bytes = try? Data(contentsOf: URL(filePath: file)) else {
                throw CommandFailure(
                    code: "profile_unreadable", message: "The file \(file) cannot be read.", remedy: "Check the path.")
            }
            return .file(bytes.base64EncodedString())
        }
    }

    struct Push: AsyncParsableCommand {
        @Argument(help: "The profile's identifier.") var profile: String
        @Option(help: "The device's UDID or name.") var device: String
        @OptionGroup var admin: AdminOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            try await output.run(
                {
                    try await admin.client.call(
                        "PUT", admin.path(.deviceProfile, ["device": device, "profile": profile])) as MDMAdmin.Command
                }, lines: { [$0.line] })
        }
    }

    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Remove a profile from a device.")
        @Argument(help: "The profile's identifier.") var profile: String
        @Option(help: "The device's UDID or name.") var device: String
        @OptionGroup var admin: AdminOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            try await output.run(
                {
                    try await admin.client.call(
                        "DELETE", admin.path(.deviceProfile, ["device": device, "profile": profile]))
                        as MDMAdmin.Command
                }, lines: { [$0.line] })
        }
    }
}
