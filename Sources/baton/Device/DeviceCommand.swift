// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
internal import BrokerIPC
import CommandLineInterface
import FoundationEssentials

/// Shows and changes the device's state, its enrollment and its registration.
struct DeviceCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "device", abstract: "Show, enroll and join this device.",
        subcommands: [
            Status.self, Enroll.self, Unenroll.self, CheckIn.self, Reload.self, Join.self, Leave.self, Reset.self,
            Event.self, Unlock.self, Recover.self, Audit.self, Metrics.self,
        ])

    struct Status: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Show mode, session and registrations, with reasons.")
        @OptionGroup var device: DeviceOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            try await output.run({ try await device.client.status() }, lines: lines)
        }

        private var keyPlaces: [String: String] {
            ["tpm": "in the TPM", "partly": "in the TPM, and some in files", "files": "in files"]
        }

        private func agent(_ status: DeviceStatus, _ isKnown: Bool) -> String {
            guard status.agentConnected else { return isKnown ? "not connected" : "not known" }
            guard let user = status.agentUser else { return "connected" }
            return "connected (\(status.agentPID.map { "process \($0) of " } ?? "")user \(user))"
        }

        private func lines(_ status: DeviceStatus) -> [String] {
            // A quarantined state is not trusted, so these values are not known.
            let isKnown = status.session != "quarantined"
            let no = isKnown ? "no" : "not known"
            let apps = status.apps.isEmpty ? (isKnown ? "none" : "not known") : status.apps.joined(separator: ", ")
            return [
                "mode      \(status.mode) (\(status.reason))", "session   \(status.session)",
                "enrolled  \(status.enrolled ? "yes" : no)",
                "joined    \(status.deviceID.map { "device \($0), tenant \(status.tenantID ?? "")" } ?? no)",
                "agent     \(agent(status, isKnown))", "apps      \(apps)",
                "epoch     \(status.epoch.map(String.init) ?? "-")",
            ] + (status.keys.map { ["keys      \(keyPlaces[$0] ?? $0)"] } ?? [])
                + (status.pending.isEmpty ? [] : ["clearing  \(status.pending.joined(separator: ", "))"])
                + (status.registration?.problems ?? []).map { "directory \($0)" }
                + status.problems.map { "problem   \($0)" }
                + (status.lockedApps.isEmpty ? [] : ["locked    \(status.lockedApps.joined(separator: ", "))"])
                + (status.receiptsDamagedAt == nil
                    ? [] : ["receipts  a damaged chain was moved aside: see docs/receipts.md"])
                + (status.connectionLimits ?? []).map {
                    "full      \($0.whose) has \($0.quantity), the limit"
                }
                + (status.remedy.map { ["next      \($0)"] } ?? [])
        }
    }

    struct Enroll: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Install an enrollment profile and enroll in its MDM.")
        @Argument(help: "The enrollment profile (.mobileconfig).") var profile: String
        @OptionGroup var device: DeviceOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            try await output.run(
                {
                    guard let bytes = try? Data(contentsOf: URL(filePath: profile)) else {
                        throw CommandFailure(
                            code: "profile_unreadable", message: "The file \(profile) cannot be read.",
                            remedy: "Give the path of the profile that your MDM made for this device.")
                    }
                    _ = try await device.client.ask(.enroll(profile: bytes.base64EncodedString()))
                }, done: "The device is enrolled.")
        }
    }

    struct CheckIn: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "check-in", abstract: "Fetch and run the MDM's pending commands now.")
        @OptionGroup var device: DeviceOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            try await output.run(
                { try await DeviceCommand.checkIn(device.client) },
                lines: { ["\($0["done"] ?? 0) done, \($0["failed"] ?? 0) failed, \($0["later"] ?? 0) later."] })
        }
    }

    struct Unenroll: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Leave the MDM: removes everything that it installed and signs out the worker.")
        @OptionGroup var device: DeviceOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            try await output.run(
                { _ = try await device.client.ask(.unenroll) }, done: "The device is not enrolled any more.")
        }
    }

    struct Join: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Register this device as a shared one; an administrator signs in at its browser.")
        @Option(help: "The identity platform, https://host[:port].", transform: ServerAddress.normalised)
        var login: String
        @Option(help: "The device registration service, https://host[:port].", transform: ServerAddress.normalised)
        var registration: String
        @Option(help: "The tenant's id or domain.") var tenant: String
        @Option(help: "The name under which the directory lists the device.") var name: String
        @OptionGroup var device: DeviceOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let order = JoinOrder(loginURL: login, registrationURL: registration, tenant: tenant, deviceName: name)
            try await output.run(
                { try await DeviceCommand.join(order, device.client) },
                lines: { joined in
                    ["The device is joined: device \(joined["deviceID"] ?? ""), tenant \(joined["tenantID"] ?? "")."]
                })
        }
    }

    struct Recover: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract:
                "Leave the quarantine: move the damaged state aside and start over as a device that is not joined.")
        @OptionGroup var device: DeviceOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            try await output.run(
                { _ = try await device.client.ask(.recover) },
                done: "The state was moved aside. Run: baton device status. Then join the device again.")
        }
    }

    static func checkIn(_ client: OperatorClient) async throws -> [String: Int] {
        guard case .checkedIn(let done, let failed, let later) = try await client.ask(.checkIn) else {
            throw OperatorClient.unexpectedReply
        }
        return ["done": done, "failed": failed, "later": later]
    }

    static func join(_ order: JoinOrder, _ client: OperatorClient) async throws -> [String: String] {
        guard case .joined(let deviceID, let tenantID) = try await client.ask(.join(order)) else {
            throw OperatorClient.unexpectedReply
        }
        return ["deviceID": deviceID, "tenantID": tenantID]
    }
}
