// SPDX-License-Identifier: Apache-2.0
import AdminAPI
import ArgumentParser
import CommandLineInterface
import Glibc

/// Configures whether workers may sign in at shared devices while the server cannot be reached.
struct OfflineCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "offline", abstract: "Configure sign-in at shared devices that cannot reach the server.",
        subcommands: [Show.self, On.self, Off.self])

    fileprivate static let warning =
        "Warning: without a TPM, a six-digit PIN does not protect against somebody who has a copy of the device's "
        + "disk. They can try PINs without limit and find the right one within days. Use passwords, or devices with a "
        + "TPM and --pin."

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Show the current settings.")
        @OptionGroup var admin: AdminOptions

        func run() async throws {
            try await admin.show(IdentityAdmin.getOfflineSignIn()) { offline in
                guard let rules = offline.rules else { return ["Offline sign-in is off."] }
                let warning = rules.credentials.contains("pin-without-tpm") ? [OfflineCommand.warning] : []
                return [
                    "by       \(rules.credentials.joined(separator: ", "))",
                    "ends     \(rules.wallSeconds / 60) minutes after the sign-in with the server",
                    "powered  \(rules.poweredSeconds / 60) minutes", "boots    \(rules.boots)",
                    "wrong    \(rules.attempts) attempts",
                ] + warning
            }
        }
    }

    struct On: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Allow offline sign-in of workers who have signed in online at the device.",
            discussion:
                "Workers sign in with their password by default, and get their identity but no tokens. A worker who is "
                + "disabled can still sign in at a device that is offline, until the first of the limits below is "
                + "reached. Leases issued before are withdrawn.")
        @Flag(inversion: .prefixedNo, help: "Accept their password.") var password = true
        @Flag(help: "Accept a PIN that workers set on the device; the TPM's lock-out protects it.") var pin = false
        @Flag(
            name: .customLong("pin-without-tpm"),
            help: "Accept a PIN even without a TPM. Anyone who copies the disk can guess it.")
        var pinWithoutTPM = false
        @Option(help: "Minutes from the online sign-in to the end, by the wall clock.") var minutes = 720
        @Option(help: "Minutes that the device may be powered on after the online sign-in.") var poweredMinutes = 720
        @Option(help: "How often the device may be started after the online sign-in.") var boots = 3
        @Option(help: "Wrong attempts in a row after which the device forgets the worker.") var attempts = 5
        @OptionGroup var admin: AdminOptions

        func run() async throws {
            if pinWithoutTPM { try OutputOptions.print([OfflineCommand.warning], to: STDERR_FILENO) }
            try await admin.change(
                IdentityAdmin.setOfflineSignIn(body: IdentityAdmin.Offline(rules: rules)),
                done: "Workers may sign in offline, for \(minutes) minutes after a sign-in with the server.")
        }

        func validate() throws {
            guard password || pin || pinWithoutTPM else {
                throw ValidationError("Give the accepted credentials: --password, --pin or --pin-without-tpm.")
            }
            guard (1...10080).contains(minutes), (1...10080).contains(poweredMinutes) else {
                throw ValidationError("A lease is valid for one minute to one week (10080 minutes).")
            }
        }

        private var rules: IdentityAdmin.OfflineRules {
            let credentials = [(password, "password"), (pin, "pin"), (pinWithoutTPM, "pin-without-tpm")]
            return IdentityAdmin.OfflineRules(
                credentials: credentials.filter(\.0).map(\.1), wallSeconds: minutes * 60,
                poweredSeconds: poweredMinutes * 60, boots: boots, attempts: attempts)
        }
    }

    struct Off: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Forbid offline sign-in; devices delete their leases when they learn of it.")
        @OptionGroup var admin: AdminOptions

        func run() async throws {
            try await admin.change(
                IdentityAdmin.setOfflineSignIn(body: IdentityAdmin.Offline(rules: nil)),
                done: "Nobody may sign in offline.")
        }
    }
}
