// SPDX-License-Identifier: Apache-2.0
import AdminAPI
import ArgumentParser
import CommandLineInterface
import Files
import FoundationEssentials
import Redaction

/// Manages devices in the directory and under management.
struct ManagedDeviceCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "device",
        abstract: "List, disable and remove devices; create enrollment profiles; show the results of commands.",
        subcommands: [
            List.self, Enable.self, Disable.self, Remove.self, Managed.self, Add.self, Commands.self, Unenroll.self,
        ])

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "List the devices of the directory.")
        @OptionGroup var names: NamePrefix
        @OptionGroup var admin: AdminOptions

        func run() async throws {
            try await admin.show(IdentityAdmin.listDevices(query: names.query), lines: Self.lines)
        }

        /// Returns the lines of a table of devices, with warnings below.
        static func lines(_ devices: [IdentityAdmin.Device]) -> [String] {
            TextTable.lines(
                ["NAME", "GROUPS", "DEVICE ID", "KIND", "ENABLED", "REGISTERED", "UDID"],
                devices.map { device in
                    [
                        device.displayName, device.groups.isEmpty ? "-" : device.groups.joined(separator: ", "),
                        device.deviceID, device.profileType, device.accountEnabled ? "yes" : "no",
                        TextTable.time(device.registeredAt), device.udid ?? "-",
                    ]
                }) + devices.compactMap(Self.warning)
        }

        private static func warning(_ device: IdentityAdmin.Device) -> String? {
            device.aheadAt.map {
                "warning: \(TextTable.printable(device.displayName)) is ahead of the server, which was restored to an "
                    + "earlier point (found \(TextTable.time($0))); see docs/operations/backup.md."
            }
        }
    }

    struct Disable: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Disable a device of the directory; every session on it ends.")
        @Argument(help: .device) var device: String
        @OptionGroup var admin: AdminOptions

        func run() async throws {
            try await Change.setEnabled(false, of: device, admin) { "\($0) is disabled." }
        }
    }

    struct Enable: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Enable a disabled device.")
        @Argument(help: .device) var device: String
        @OptionGroup var admin: AdminOptions

        func run() async throws {
            try await Change.setEnabled(true, of: device, admin) { "\($0) is enabled." }
        }
    }

    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Remove a device from the directory; every session on it ends.")
        @Argument(help: .device) var device: String
        @OptionGroup var admin: AdminOptions

        func run() async throws {
            try await Change.directory(
                device, admin, request: { IdentityAdmin.removeDevice(["device": $0]) },
                line: { "\($0) is removed from the directory." })
        }
    }

    /// A change to a device, as `--json` prints it.
    struct Change: Encodable {
        let done = true
        /// The device id or, under management, the UDID.
        let device: String
        let name: String

        /// Enables or disables a device of the directory.
        fileprivate static func setEnabled(
            _ isEnabled: Bool, of device: String, _ admin: AdminOptions, line: (String) -> String
        ) async throws {
            try await directory(
                device, admin,
                request: { id in
                    IdentityAdmin.changeDevice(
                        ["device": id], body: IdentityAdmin.DeviceChange(accountEnabled: isEnabled))
                }, line: line)
        }

        /// Changes a device of the directory.
        ///
        /// - Parameter request: returns the request for the device with this device id.
        fileprivate static func directory(
            _ device: String, _ admin: AdminOptions, request: (String) -> AdminRequest<Empty>,
            line: (String) -> String
        ) async throws {
            try await admin.output.run(
                {
                    let found = try await admin.call(IdentityAdmin.getDevice(["device": device]))
                    try await admin.call(request(found.deviceID))
                    return Change(device: found.deviceID, name: found.displayName)
                }, lines: { [line("\($0.name) (device id \($0.device))")] })
        }
    }

    struct Managed: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "List the devices under management.")
        @OptionGroup var names: NamePrefix
        @OptionGroup var admin: AdminOptions

        func run() async throws {
            try await admin.list(
                MDMAdmin.listManagedDevices(query: names.query),
                ["NAME", "UDID", "SERIAL", "STATE", "IDENTITY ENDS", "WAITING", "APPS"]
            ) { device in
                [
                    device.name, device.udid, device.serialNumber ?? "-", device.state,
                    device.identityEndsAt.map(TextTable.time) ?? "-", String(device.waiting),
                    device.apps.map { "\($0.identifier) (\($0.state))" }.joined(separator: ", "),
                ]
            }
        }
    }

    struct Add: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Create the enrollment profile of a new device; it contains the device's key and works once.")
        @Argument(help: "The device's name for administrators.") var name: String
        @Option(help: "The file for the profile (.mobileconfig).") var output: String
        @Option(help: "The one enrolled device (name, id, UDID or serial number) that may also use the profile.")
        var takesOver: String?
        @OptionGroup var admin: AdminOptions

        func run() async throws {
            try await admin.output.run(
                {
                    let body = MDMAdmin.NewEnrollment(name: name, takesOver: takesOver)
                    let request = admin.completed(MDMAdmin.addEnrollment(body: body))
                    let (client, revocation) = (try admin.client, admin.completed(MDMAdmin.revokeEnrollment()))
                    try await OutputFile.with(output) { [output] draft in
                        let made = try await client.call(request)
                        do { try Self.write(made, to: draft, at: output) } catch {
                            // The administrator did not get the profile, so it must not remain valid.
                            var revocation = revocation
                            revocation.places["enrollment"] = made.id
                            try await client.call(revocation)
                            throw error
                        }
                    }
                }, done: "The profile is in \(output). On the device: baton device enroll \(output)")
        }

        private static func write(_ made: MDMAdmin.EnrollmentProfile, to draft: DraftFile, at path: String) throws {
            guard let bytes = Data(base64Encoded: made.profile.exposed) else {
                throw CommandFailure(
                    code: "server_reply", message: "The profile is not Base64.",
                    remedy: "Use baton and baton-server of the same release.")
            }
            try OutputFile.reporting(path) { () throws(FileError) in
                try draft.append(Array(bytes))
                try draft.publish()
            }
        }
    }

    struct Commands: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "List a device's commands and their results.")
        @Argument(help: .device) var device: String
        @OptionGroup var admin: AdminOptions

        func run() async throws {
            try await admin.output.run(
                { try await admin.call(MDMAdmin.listCommands(["device": device])) },
                lines: { (commands: [MDMAdmin.Command]) in
                    TextTable.lines(
                        ["QUEUED", "COMMAND", "ABOUT", "STATE", "FINISHED", "REASONS"],
                        commands.map { command in
                            [
                                TextTable.time(command.enqueuedAt), command.requestType, command.subject ?? "-",
                                command.state, command.finishedAt.map(TextTable.time) ?? "-",
                                command.reasons.isEmpty ? "-" : command.reasons.joined(separator: "; "),
                            ]
                        })
                })
        }
    }

    struct Unenroll: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Unenroll a device; at its next check-in it removes everything that the MDM installed.")
        @Argument(help: .device) var device: String
        @OptionGroup var admin: AdminOptions

        func run() async throws {
            try await admin.output.run(
                {
                    let found = try await admin.call(MDMAdmin.getManagedDevice(["device": device]))
                    try await admin.call(MDMAdmin.unenrollDevice(["device": found.udid]))
                    return Change(device: found.udid, name: found.name)
                }, lines: { ["\($0.name) (UDID \($0.device)) is no longer managed."] })
        }
    }
}

extension ArgumentHelp {
    /// The help text of the argument that names a device.
    static let device: ArgumentHelp = "The device: its name, device id, object id, UDID or serial number."
}
