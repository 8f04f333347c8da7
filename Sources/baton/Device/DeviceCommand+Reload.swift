// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
internal import BrokerIPC
import BrokerProtocol
import CommandLineInterface

extension DeviceCommand {
    /// Makes the broker reload the registry of apps after an administrator has changed it on disk.
    struct Reload: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Reload the device's own registry of apps; nobody is signed out.")
        @OptionGroup var device: DeviceOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            try await output.run(
                { _ = try await device.client.ask(.reload) }, done: "The registry was reloaded and is now in use.")
        }
    }
}
