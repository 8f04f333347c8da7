// SPDX-License-Identifier: Apache-2.0
package import BrokerIPC
internal import BrokerProtocol
internal import Processes
internal import UnixSocket

/// The client of the broker's `control.sock`.
package struct OperatorClient: Sendable {
    /// The folder of the broker's sockets.
    package let runtimeDirectory: String

    /// The failure for an answer that does not belong to the request.
    package static let unexpectedReply = CommandFailure(
        code: "broker_reply", message: "The broker's answer does not match the request.",
        remedy: "Use baton and batond of the same release.")

    package init(runtimeDirectory: String) { self.runtimeDirectory = runtimeDirectory }

    /// Sends a request to the broker and waits for its answer. Use no time limit if a person must first act in the
    /// browser.
    ///
    /// - Parameter patience: milliseconds; 0 waits without a limit.
    /// - Throws: ``CommandFailure``.
    package func ask(_ request: OperatorRequest, patience: Int32 = 0) async throws -> OperatorReply {
        try await blocking { try answer(to: request, patience) }
    }

    /// Returns the device's status.
    ///
    /// - Throws: ``CommandFailure``.
    package func status() async throws -> DeviceStatus {
        guard case .status(let status) = try await ask(.status) else { throw Self.unexpectedReply }
        return status
    }

    private func answer(to request: OperatorRequest, _ patience: Int32) throws -> OperatorReply {
        let path = runtimeDirectory + "/control.sock"
        let reply: OperatorReply
        do {
            let channel = try FramedJSON<OperatorReply, OperatorRequest>.connect(to: path, limits: Wire.operatorLimits)
            try channel.connection.descriptor.setReceiveTimeout(milliseconds: patience)
            try channel.send(request)
            reply = try channel.receive().message
        } catch {
            throw CommandFailure(
                code: "broker_unreachable", message: "The broker does not answer on \(path) (\(error)).",
                remedy: "Start batond, run as its user, or give its socket folder with --runtime-directory.",
                exitCode: .unreachable)
        }
        if case .failed(let failure) = reply {
            throw CommandFailure(code: failure.code, message: failure.message, remedy: failure.remedy)
        }
        return reply
    }
}
