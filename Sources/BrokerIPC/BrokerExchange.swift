// SPDX-License-Identifier: Apache-2.0
package import BrokerProtocol
internal import Glibc
internal import Redaction
internal import UnixSocket

/// One request to the broker, on a connection of its own, for programs that are not apps and do not link `MSAL`.
package struct BrokerExchange: Sendable {
    private let socket: String
    private let client: ClientHello

    /// Why a request that was sent has no answer.
    package enum Unanswered: Error {
        /// The broker ended the connection, as it does at the end of a session.
        case ended
        /// The answer did not arrive in time.
        case late
    }

    /// The time that the broker may take for one message.
    package static let patience = Duration.seconds(8)

    /// - Parameters:
    ///   - socket: the path of the broker's socket.
    ///   - name: the program's name, for the broker's log.
    package init(socket: String, name: String, version: String) {
        self.socket = socket
        client = ClientHello(clientName: name, clientVersion: version)
    }

    /// Sends the request and returns the broker's answer. Blocks until the answer arrives or one of the time limits is
    /// reached.
    ///
    /// - Parameter patience: the time that the broker may take for the answer; by default eight seconds.
    /// - Throws: ``Unanswered`` if the request was sent and no answer came; ``EnvelopeFailure`` if the broker's
    ///   messages cannot be read; or an error from the connection.
    package func ask(
        _ operation: Operation, _ entries: FlatMap, patience: Duration = patience
    ) throws -> Result<FlatMap, BrokerError> {
        var parameters = entries
        parameters[.protocolVersion] = Wire.messageProtocol
        let request = Request(id: "1", operation: operation, parameters: parameters, isSilent: true)
        let connection = try FrameConnection.connect(to: socket, maximumFrame: Wire.maximumFrame)
        let milliseconds = Int32(Self.patience / .milliseconds(1))
        try connection.descriptor.setSendTimeout(milliseconds: milliseconds)
        try connection.descriptor.setReceiveTimeout(milliseconds: milliseconds)
        try connection.write(ClientMessage.hello(client).bytes)
        guard case .hello = try Self.message(from: connection) else { throw EnvelopeFailure.shape }
        try connection.write(ClientMessage.request(request).bytes)
        try connection.descriptor.setReceiveTimeout(milliseconds: Int32(patience / .milliseconds(1)))
        do {
            guard case .reply(let reply) = try Self.message(from: connection), reply.requestID == request.id else {
                throw EnvelopeFailure.shape
            }
            return reply.outcome
        } catch let failure as FrameConnection.ReadFailure {
            switch failure {
            case .tooSlow: throw Unanswered.late
            case .socket(let error) where error.errno == EAGAIN: throw Unanswered.late
            case .ended, .truncated, .tooLarge, .notAdmitted, .socket: throw Unanswered.ended
            }
        }
    }

    /// Asks the broker to open a page in the worker's browser, and waits until the broker reports that the browser
    /// shows the page or that it could not be opened.
    ///
    /// - Parameter address: the page's address; nil for the home page.
    /// - Throws: as ``ask(_:_:patience:)``.
    package func openPage(_ address: String?) throws -> Result<FlatMap, BrokerError> {
        // The broker answers after fifteen seconds at the latest.
        try ask(.openPage, FlatMap(address.map { [Key.pageAddress: $0] } ?? [:]), patience: .seconds(20))
    }

    private static func message(from connection: FrameConnection) throws -> BrokerMessage {
        let body = try connection.read(patience: patience).body
        return try BrokerMessage(bytes: body.withBytes { span in unsafe span.withUnsafeBytes { unsafe Array($0) } })
    }
}
