// SPDX-License-Identifier: Apache-2.0
package import BrokerProtocol
internal import Redaction
internal import UnixSocket

/// One request to the broker on its own connection, for programs that are not apps and do not link `MSAL`.
package struct BrokerExchange: Sendable {
    private let socket: String
    private let client: ClientHello

    /// Milliseconds that the broker may take for one message.
    private static let patience: Int32 = 8000

    /// - Parameters:
    ///   - socket: the path of the broker's socket.
    ///   - name: the program's name, for the broker's log.
    package init(socket: String, name: String, version: String) {
        self.socket = socket
        client = ClientHello(clientName: name, clientVersion: version)
    }

    /// Sends the request and returns the broker's answer. Blocks for a few seconds at most.
    ///
    /// - Throws: ``EnvelopeFailure`` if the broker's messages cannot be read, or an error from the connection.
    package func ask(_ operation: Operation, _ entries: FlatMap) throws -> Result<FlatMap, BrokerError> {
        var parameters = entries
        parameters[.protocolVersion] = Wire.messageProtocol
        let request = Request(id: "1", operation: operation, parameters: parameters, isSilent: true)
        let connection = try Connection.connect(to: socket, maximumFrame: Wire.maximumFrame)
        try connection.descriptor.setSendTimeout(milliseconds: Self.patience)
        try connection.descriptor.setReceiveTimeout(milliseconds: Self.patience)
        try connection.write(ClientMessage.hello(client).bytes)
        guard case .hello = try Self.message(from: connection) else { throw EnvelopeFailure.shape }
        try connection.write(ClientMessage.request(request).bytes)
        guard case .reply(let reply) = try Self.message(from: connection), reply.requestID == request.id else {
            throw EnvelopeFailure.shape
        }
        return reply.outcome
    }

    private static func message(from connection: Connection) throws -> BrokerMessage {
        let body = try connection.read(patience: .milliseconds(Int(patience))).body
        return try BrokerMessage(bytes: body.withBytes { span in unsafe span.withUnsafeBytes { unsafe Array($0) } })
    }
}
