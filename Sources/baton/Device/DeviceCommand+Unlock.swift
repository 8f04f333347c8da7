// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
internal import BrokerIPC
import CommandLineInterface

extension DeviceCommand {
    /// Unlocks an app that can no longer erase a former worker's data itself.
    struct Unlock: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Unlock an app after you have removed the former worker's data.",
            discussion: """
                An app is locked until it has erased the data of a former worker. If it cannot, for example because a new \
                version has no eraser of that name, remove the data, and then unlock the app. Nothing is removed by this \
                command: what the app still has of the former worker, the next one may see.
                """)
        @Argument(help: "The app's bundle id, as baton device status prints it.") var app: String
        @OptionGroup var device: DeviceOptions
        @OptionGroup var confirmation: ConfirmationOptions

        func run() async throws {
            try await confirmation.run(
                "What \(app) still has of a former worker, the next worker may see. Unlock it only if you have removed that "
                    + "data.",
                {
                    _ = try await device.client.ask(.unlock(app: app))
                    return ["done": true]
                }, lines: { _ in ["The app is not locked any more."] })
        }
    }
}
