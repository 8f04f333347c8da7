// SPDX-License-Identifier: Apache-2.0
internal import BrokerIPC
import BrokerProtocol
import Processes
import UnixSocket

/// The client of the broker's `control.sock`.
struct OperatorClient: Sendable {
    /// The folder of the broker's sockets.
    let runtimeDirectory: String

    /// Sends a request to the broker and waits for its answer. Use no time limit if a person must first act in the
    /// browser.
    ///
    /// - Parameter patience: milliseconds; 0 waits without a limit.
    /// - Throws: ``CommandFailure``.
    func ask(_ request: OperatorRequest, patience: Int32 = 0) async throws -> OperatorReply {
        try await blocking { try answer(to: request, patience) }
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
