// SPDX-License-Identifier: Apache-2.0
import AdminAPI
import ArgumentParser
import FoundationEssentials
import Redaction

/// Devices: in the directory, and under management.
struct ManagedDeviceCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "device",
        abstract: "List, disable and remove devices; make enrollment profiles; see what became of commands.",
        subcommands: [
            List.self, Enable.self, Disable.self, Remove.self, Managed.self, Add.self, Commands.self, Unenroll.self,
        ])

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "List the devices of the directory.")
        @OptionGroup var admin: AdminOptions

        func run() async throws {
            try await admin.list(IdentityAdmin.Path.devices, ["DEVICE", "NAME", "KIND", "ENABLED"]) {
                (device: IdentityAdmin.Device) in
                [device.deviceID, device.displayName, device.profileType, device.accountEnabled ? "yes" : "no"]
            }
        }
    }

    struct Disable: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Refuse a device of the directory; every session on it ends.")
        @Argument(help: "The device id.") var device: String
        @OptionGroup var admin: AdminOptions

        func run() async throws {
            try await admin.change(
                "PATCH", IdentityAdmin.Path.device, places: ["device": device],
                body: { IdentityAdmin.DeviceChange(accountEnabled: false) }, done: "The device is disabled.")
        }
    }

    struct Enable: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Let a disabled device in again.")
        @Argument(help: "The device id.") var device: String
        @OptionGroup var admin: AdminOptions

        func run() async throws {
            try await admin.change(
                "PATCH", IdentityAdmin.Path.device, places: ["device": device],
                body: { IdentityAdmin.DeviceChange(accountEnabled: true) }, done: "The device is enabled.")
        }
    }

    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Remove a device from the directory; every session on it ends.")
        @Argument(help: "The device id.") var device: String
        @OptionGroup var admin: AdminOptions

        func run() async throws {
            try await admin.change("DELETE", IdentityAdmin.Path.device, places: ["device": device], done: "Removed.")
        }
    }

    struct Managed: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "List the devices under management.")
        @OptionGroup var admin: AdminOptions

        func run() async throws {
            try await admin.list(MDMAdmin.Path.devices, ["UDID", "NAME", "STATE", "WAITING", "APPS"]) {
                (device: MDMAdmin.Device) in
                [
                    device.udid, device.name, device.state, String(device.waiting),
                    device.apps.map { "\($0.identifier) (\($0.state))" }.joined(separator: ", "),
                ]
            }
        }
    }

    struct Add: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Make the enrollment profile of a new device; it holds the device's key and works once.")
        @Argument(help: "What administrators call the device.") var name: String
        @Option(help: "The file for the profile (.mobileconfig).") var output: String
        @Option(help: "The UDID of an enrolled device that may use the profile; without it such a device is refused.")
        var takesOver: String?
        @OptionGroup var admin: AdminOptions

        func run() async throws {
            let body = MDMAdmin.NewEnrollment(name: name, takesOver: takesOver)
            try await admin.output.run(
                {
                    let made: MDMAdmin.EnrollmentProfile = try await admin.call(
                        "POST", MDMAdmin.Path.enrollments, body: body)
                    guard let bytes = Data(base64Encoded: made.profile.exposed) else {
                        throw CommandFailure(
                            code: "server_reply", message: "The profile is no Base64.",
                            remedy: "Use baton and baton-server of one release.")
                    }
                    try SecretFile.write(bytes, to: output)
                }, done: "The profile is in \(output). On the device: baton device enroll \(output)")
        }
    }

    struct Commands: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "List a device's commands and their outcome.")
        @Argument(help: "The device's UDID or name.") var device: String
        @OptionGroup var admin: AdminOptions

        func run() async throws {
            try await admin.show(MDMAdmin.Path.commands, ["device": device]) { (commands: [MDMAdmin.Command]) in
                commands.isEmpty ? ["none"] : commands.map(\.line)
            }
        }
    }

    struct Unenroll: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Give a device up; it drops everything that the MDM brought when it next comes.")
        @Argument(help: "The device's UDID or name.") var device: String
        @OptionGroup var admin: AdminOptions

        func run() async throws {
            try await admin.change(
                "DELETE", MDMAdmin.Path.device, places: ["device": device], done: "The device is no longer managed.")
        }
    }
}
