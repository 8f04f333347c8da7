// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import CommandLineInterface
import FoundationEssentials

/// The option that selects the device for a command.
struct DeviceOptions: ParsableArguments {
    @Option(help: "The folder of the broker's sockets (default: BATON_RUNTIME, else /run/baton).")
    var runtimeDirectory: String?

    var folder: String {
        runtimeDirectory ?? ProcessInfo.processInfo.environment["BATON_RUNTIME"] ?? "/run/baton"
    }

    var client: OperatorClient { OperatorClient(runtimeDirectory: folder) }
}

/// The state folder of a device, for commands that read it without the broker.
struct StateOptions: ParsableArguments {
    @Option(
        name: .customLong("state"),
        help: "The device's state folder (default: BATON_STATE, else /var/lib/baton/device).")
    var path: String?

    var folder: String {
        path ?? ProcessInfo.processInfo.environment["BATON_STATE"] ?? "/var/lib/baton/device"
    }
}
