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

    /// Reads until the task is cancelled, or until an upgrade has replaced this program and nobody is signed in. In the
    /// second case, whatever started this program must start the installed program.
    func run() async throws {
        while !Task.isCancelled {
            if let channel = try? FramedJSON<DeviceState, DeviceState>.connect(to: socket, limits: Wire.statusLimits) {
                let isReplaced = try await withTaskCancellationHandler {
                    try await blocking { readStates(from: channel) }
                } onCancel: {
                    channel.connection.shutDown()
                }
                if isReplaced { return }
            }
            lose()
            try await Task.sleep(for: Self.pause)
        }
    }

    /// Reads until the connection ends, or until this program must end. Returns true in the second case.
    private func readStates(from channel: FramedJSON<DeviceState, DeviceState>) -> Bool {
        while let state = try? channel.receive().message {
            receive(state)
            if state.stage == .ready, OwnProgram.isReplaced { return true }
        }
        return false
    }
}
