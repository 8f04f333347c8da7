// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
internal import BrokerIPC
import CommandLineInterface

extension DeviceCommand {
    struct Leave: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract:
                "Leave the directory: sign out the worker, remove the join, and tell the directory if it can be reached.",
            discussion: """
                The MDM enrollment, the apps and the receipts stay. The device can be joined again at once, also to another \
                organisation.
                """)
        @OptionGroup var device: DeviceOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            try await output.run({ try await Departed.by(.leave, device.client) }, lines: \.lines)
        }
    }

    struct Reset: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract:
                "Reset the device to the state before it was enrolled and joined; no worker's data stays.",
            discussion: """
                Signs out the worker, leaves directory and MDM, and erases keys, receipts, and the data of offline sign-in. \
                Apps that have not erased a former worker's data stay locked. This cannot be undone.
                """)
        @OptionGroup var device: DeviceOptions
        @OptionGroup var confirmation: ConfirmationOptions

        func run() async throws {
            try await confirmation.run(
                "This signs out the worker, removes the device from its directory and its MDM, and erases keys and "
                    + "receipts.", { try await Departed.by(.reset, device.client) }, lines: \.lines)
        }
    }

    /// The result of leaving.
    struct Departed: Encodable {
        /// The id of the registration that the device had.
        let deviceID: String?
        let directoryTold: Bool
        private var isReset = false

        private enum CodingKeys: CodingKey { case deviceID, directoryTold }

        static func by(_ request: OperatorRequest, _ client: OperatorClient) async throws -> Departed {
            guard case .left(let deviceID, let isTold) = try await client.ask(request) else {
                throw OperatorClient.unexpectedReply
            }
            await awaitBroker(client)
            return Departed(deviceID: deviceID, directoryTold: isTold, isReset: request == .reset)
        }

        /// Waits at most ten seconds for the restarting broker to answer, so that the next command can reach it.
        private static func awaitBroker(_ client: OperatorClient) async {
            let deadline = ContinuousClock.now + .seconds(10)
            while ContinuousClock.now < deadline {
                if (try? await client.ask(.status, patience: 1000)) != nil { return }
                do { try await Task.sleep(for: .milliseconds(50)) } catch { return }
            }
        }

        var lines: [String] {
            var lines = [isReset ? "The device is reset." : "The device has left its directory."]
            if let deviceID, !directoryTold {
                lines.append(
                    "The directory could not be notified. If it still lists the device, run on the server: "
                        + "baton admin device remove \(deviceID).")
            }
            return lines
        }
    }
}
