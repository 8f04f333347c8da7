// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import BrokerProtocol

/// The worker who holds the device.
struct AccountCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "account", abstract: "Show who is signed in; sign in, sign out, watch.",
        subcommands: [SignOut.self])

    struct SignOut: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "sign-out", abstract: "Sign the worker out of every app; answers when the device is ready.")
        @Flag(help: "Also end the session that the identity platform keeps for the browser.") var fromBrowser = false
        @OptionGroup var device: DeviceOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            try await output.run(
                {
                    _ = try device.client.ask(.signOut(fromBrowser: fromBrowser))
                }, done: "Nobody is signed in. The device is ready for the next worker.")
        }
    }
}
