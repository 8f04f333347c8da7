// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
internal import BrokerIPC
import CommandLineInterface

extension DeviceCommand {
    /// Reports that nobody is at the device any more. udev rules, docking stations and card readers call this command.
    struct Event: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Report that nobody is at the device any more, and sign the worker out.")
        @Argument(help: "What happened: charger, dock or seat.") var event: SeatEvent
        @OptionGroup var device: DeviceOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            try await output.run(
                { _ = try await device.client.ask(.seat(event)) }, done: "Nobody is signed in on the device.")
        }
    }
}

extension SeatEvent: ExpressibleByArgument {}
