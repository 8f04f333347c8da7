// SPDX-License-Identifier: Apache-2.0
import AdminAPI
import ArgumentParser
import CommandLineInterface
import FoundationEssentials

/// Manages configuration profiles.
struct ProfileCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "profile", abstract: "List and add profiles; push them to devices and remove them there.",
        subcommands: [List.self, Add.self, Push.self, Remove.self])

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "List the profiles.")
        @OptionGroup var names: NamePrefix
        @OptionGroup var admin: AdminOptions

        func run() async throws {
            try await admin.list(MDMAdmin.listProfiles(query: names.query), ["IDENTIFIER", "NAME", "UUID"]) { profile in
                [profile.identifier, profile.displayName ?? "-", profile.uuid]
            }
        }
    }

    struct Add: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Add a profile: a file, or the single sign-on profile of shared device mode.")
        @Option(help: "A profile (.mobileconfig).") var file: String?
        @Option(parsing: .upToNextOption, help: "Sign-in URLs of the organisation for the shared device profile.")
        var sharedDevice: [String] = []
        @Flag(help: "Replace an existing profile with the same identifier; otherwise it is refused.")
        var replace = false
        @OptionGroup var admin: AdminOptions

        func validate() throws {
            guard (file == nil) != sharedDevice.isEmpty else {
                throw ValidationError("Give either --file or --shared-device.")
            }
        }

        func run() async throws {
            try await admin.show(
                MDMAdmin.addProfile(query: replace ? [("replace", "true")] : [], body: body())
            ) { profile in
                ["\(profile.identifier) \(Self.words(profile.outcome))."] + profile.warnings.map { "warning: \($0)" }
            }
        }

        private static func words(_ outcome: String?) -> String {
            switch outcome {
            case "replaced": "is replaced; devices keep the former one until this one is pushed"
            case "unchanged": "was there already, unchanged"
            default: "is added"
            }
        }

        private func body() throws -> MDMAdmin.NewProfile {
            guard let file else { return .sharedDevice(urls: sharedDevice) }
            guard let bytes = try? Data(contentsOf: URL(filePath: file)) else {
                throw CommandFailure(
                    code: "profile_unreadable", message: "The file \(file) cannot be read.",
                    remedy: "Give the path of a profile (.mobileconfig) that you may read.")
            }
            return .file(bytes.base64EncodedString())
        }
    }

    struct Push: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Install a profile on a device.")
        @OptionGroup var order: Order

        func run() async throws { try await order.send(MDMAdmin.installProfile) }
    }

    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Remove a profile from a device.")
        @OptionGroup var order: Order

        func run() async throws { try await order.send(MDMAdmin.uninstallProfile) }
    }

    /// The arguments of a command that installs a profile on a device or removes it.
    struct Order: ParsableArguments {
        @Argument(help: "The profile: its identifier, or a name that only one profile has.") var profile: String
        @Option(help: .device) var device: String
        @OptionGroup var admin: AdminOptions

        func send(_ endpoint: Endpoint<Empty, MDMAdmin.Command>) async throws {
            try await admin.output.run(
                { try await admin.call(endpoint(["device": device, "profile": profile])) },
                lines: { (command: MDMAdmin.Command) in [command.line] })
        }
    }
}
