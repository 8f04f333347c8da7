// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
internal import BrokerIPC
import BrokerProtocol
import CommandLineInterface
import Foundation

/// Shows who is signed in, and signs workers in and out.
struct AccountCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "account", abstract: "Show who is signed in; sign in, sign out, watch.",
        subcommands: [Current.self, SignIn.self, SignOut.self, PIN.self, Watch.self])

    struct Current: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Show who is signed in on this device.")
        @OptionGroup var device: DeviceOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            try await output.run({ try await AccountClient(device).current() }, lines: { [$0.line] })
        }
    }

    struct SignIn: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "sign-in", abstract: "Sign a worker in for every app; opens the browser.")
        @Option(help: "The user name to suggest.") var hint: String?
        @OptionGroup var device: DeviceOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            try await output.run({ try await AccountClient(device).signIn(hint: hint) }, lines: { [$0.line] })
        }
    }

    struct SignOut: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "sign-out", abstract: "Sign the worker out of every app; answers when the device is ready.")
        @Flag(help: "Ask to end the browser's session at the identity platform; every sign-out ends it anyway.")
        var fromBrowser = false
        @OptionGroup var device: DeviceOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            try await output.run(
                {
                    _ = try await device.client.ask(.signOut(fromBrowser: fromBrowser))
                }, done: "Nobody is signed in. The device is ready for the next worker.")
        }
    }

    struct PIN: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "pin",
            abstract: "Let the worker who has just signed in set another PIN for signing in without the server.",
            discussion:
                "Opens a page in their browser, within three minutes of the sign-in. A worker without a PIN is shown the page automatically."
        )
        @OptionGroup var device: DeviceOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            try await output.run({ _ = try await device.client.ask(.setPIN) }, done: "The PIN is set.")
        }
    }

    struct Watch: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Print a line each time the signed-in worker changes, until Ctrl-C.")
        @OptionGroup var device: DeviceOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let client = try AccountClient(device)
            let changes = client.changes()
            try await output.run({ try await client.current() }, lines: { [$0.line] })
            for await _ in changes {
                try await output.run({ try await client.current() }, lines: { [$0.line] })
            }
        }
    }
}
