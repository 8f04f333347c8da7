// SPDX-License-Identifier: Apache-2.0
internal import BrokerIPC
internal import BrokerProtocol
internal import Processes
internal import UnixSocket

/// Reads the device's state from the broker's `status.sock`, and connects again whenever the connection ends.
struct StatusReader: Sendable {
    let socket: String
    /// Receives each state, on a thread of the reader.
    let receive: @Sendable (DeviceState) -> Void
    /// Called when the broker does not serve the socket, and when a connection has ended.
    let lose: @Sendable () -> Void

    /// The pause before the next attempt. Attempts are repeated because nothing announces that a broker has started.
    private static let pause = Duration.milliseconds(500)

    /// Reads until the task is cancelled.
    func run() async throws {
        while !Task.isCancelled {
            if let channel = try? FramedJSON<DeviceState, DeviceState>.connect(to: socket, limits: Wire.statusLimits) {
                try await withTaskCancellationHandler {
                    try await blocking { while let state = try? channel.receive().message { receive(state) } }
                } onCancel: {
                    channel.connection.shutDown()
                }
            }
            lose()
            try await Task.sleep(for: Self.pause)
        }
    }
}
