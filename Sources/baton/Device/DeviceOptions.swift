// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import FoundationEssentials

/// Which device a command is about.
struct DeviceOptions: ParsableArguments {
    @Option(help: "The folder of the broker's sockets (default: BATON_RUNTIME, else /run/baton).")
    var runtimeDirectory: String?

    var folder: String {
        runtimeDirectory ?? ProcessInfo.processInfo.environment["BATON_RUNTIME"] ?? "/run/baton"
    }

    var client: OperatorClient { OperatorClient(runtimeDirectory: folder) }
}
