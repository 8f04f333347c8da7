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
        static let configuration = CommandConfiguration(abstract: "List the profiles.")
        @OptionGroup var admin: AdminOptions

        func run() async throws {
            try await admin.list(MDMAdmin.Path.profiles, ["IDENTIFIER", "NAME"]) {
                (profile: MDMAdmin.Profile) in [profile.identifier, profile.displayName ?? ""]
            }
        }
    }

    struct Add: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Add a profile: a file, or the single sign-on profile of shared device mode.")
        @Option(help: "A profile (.mobileconfig).") var file: String?
        @Option(parsing: .upToNextOption, help: "Sign-in URLs of the organisation for the shared device profile.")
        var sharedDevice: [String] = []
        @OptionGroup var admin: AdminOptions

        func validate() throws {
            guard (file == nil) != sharedDevice.isEmpty else {
                throw ValidationError("Give either --file or --shared-device.")
            }
        }

        func run() async throws {
            try await admin.send("POST", MDMAdmin.Path.profiles, body: body) { (profile: MDMAdmin.Profile) in
                ["\(profile.identifier) is there."] + profile.warnings.map { "warning: \($0)" }
            }
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
        static let configuration = CommandConfiguration(abstract: "Install a profile on a device.")
        @OptionGroup var order: Order

        func run() async throws { try await order.send("PUT") }
    }

    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Remove a profile from a device.")
        @OptionGroup var order: Order

        func run() async throws { try await order.send("DELETE") }
    }

    /// A profile, and the device where something is to become of it.
    struct Order: ParsableArguments {
        @Argument(help: "The profile's identifier.") var profile: String
        @Option(help: "The device's UDID or name.") var device: String
        @OptionGroup var admin: AdminOptions

        func send(_ method: String) async throws {
            try await admin.send(
                method, MDMAdmin.Path.deviceProfile, places: ["device": device, "profile": profile]
            ) { (command: MDMAdmin.Command) in [command.line] }
        }
    }
}
