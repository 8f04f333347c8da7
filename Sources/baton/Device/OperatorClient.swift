// SPDX-License-Identifier: Apache-2.0
import BrokerProtocol
import FoundationEssentials
import Glibc
import Processes
import Redaction
import UnixSocket

/// The command line's end of `control.sock`.
struct OperatorClient: Sendable {
    /// The folder of the broker's sockets.
    let runtimeDirectory: String

    private static let maximumMessage = 4 << 20

    /// Asks the broker and waits for its one answer, however long a person takes at the browser.
    ///
    /// - Throws: ``CommandFailure``.
    func ask(_ request: OperatorRequest) async throws -> OperatorReply {
        try await blocking { try answer(to: request) }
    }

    private func answer(to request: OperatorRequest) throws -> OperatorReply {
        let path = runtimeDirectory + "/control.sock"
        let reply: OperatorReply
        do {
            let connection = try Connection.connect(to: path, maximumFrame: Self.maximumMessage)
            try connection.write(Array(JSONEncoder().encode(request)))
            let frame = try connection.read()
            reply = try unsafe frame.body.withUnsafeBytes { bytes in
                try JSONDecoder().decode(OperatorReply.self, from: unsafe Data(bytes))
            }
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
