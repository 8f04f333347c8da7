// SPDX-License-Identifier: Apache-2.0
internal import BrokerProtocol
internal import Glibc
internal import JSON
internal import Redaction
internal import UnixSocket

/// Asks the broker in the browser's name: one connection for each question, since a connection belongs to one worker's epoch.
///
/// Calls block, for a few seconds at most.
package struct BrokerClient: Sendable {
    private let socket: String
    private let version: String

    /// Milliseconds that the broker may take for one message.
    private static let patience: Int32 = 8000
    private static let name = "baton-browser-host"

    /// - Parameters:
    ///   - socket: the path of the broker's socket.
    ///   - version: this program's.
    package init(socket: String, version: String) { (self.socket, self.version) = (socket, version) }

    /// Answers a question of the extension.
    ///
    /// - Throws: ``HostRefusal``.
    package func answer(_ question: HostQuestion) throws(HostRefusal) -> HostAnswer {
        switch question.wish {
        case .hello:
            let entries = try ask(.browserAddresses, FlatMap(), of: question.id)
            guard let addresses = Self.texts(entries[.browserAddresses]) else {
                throw HostRefusal(.answer, of: question.id)
            }
            return .hello(addresses: addresses, removesPrompts: entries.flag(.removesPrompts, default: false))
        case .headers(let url):
            let payload = JSONWriter.text(
                .object(["method": .string("GetCookies"), "sender": .string(url), "uri": .string(url)]))
            let entries = try ask(.browserNativeMessage, FlatMap([Key.payload: payload]), of: question.id)
            guard let headers = Self.headers(entries[.payload]) else { throw HostRefusal(.answer, of: question.id) }
            return .headers(headers)
        }
    }

    private func ask(_ operation: Operation, _ entries: FlatMap, of id: Int) throws(HostRefusal) -> FlatMap {
        var parameters = entries
        parameters[.protocolVersion] = Wire.messageProtocol
        let outcome: Result<FlatMap, BrokerError>
        do {
            outcome = try exchange(Request(id: "1", operation: operation, parameters: parameters, isSilent: true))
        } catch {
            throw HostRefusal(error is EnvelopeFailure ? .answer : .unreachable, of: id)
        }
        switch outcome {
        case .success(let entries): return entries
        case .failure(let error): throw HostRefusal(error, of: id)
        }
    }

    private func exchange(_ request: Request) throws -> Result<FlatMap, BrokerError> {
        let connection = try Connection.connect(to: socket, maximumFrame: Wire.maximumFrame)
        try connection.descriptor.setSendTimeout(milliseconds: Self.patience)
        try connection.descriptor.setReceiveTimeout(milliseconds: Self.patience)
        try connection.write(ClientMessage.hello(ClientHello(clientName: Self.name, clientVersion: version)).bytes)
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

    // MARK: - What the broker says

    private static func value(_ text: String?) -> JSONValue? {
        text.flatMap { try? JSONReader.read(Array($0.utf8), limits: Wire.nestedLimits) }
    }

    private static func texts(_ text: String?) -> [String]? {
        guard let elements = value(text)?.array else { return nil }
        let texts = elements.compactMap(\.string)
        return texts.count == elements.count ? texts : nil
    }

    private static func headers(_ text: String?) -> [HostAnswer.Header]? {
        guard let elements = value(text)?.object?["response"]?.array else { return nil }
        let headers = elements.compactMap { element -> HostAnswer.Header? in
            guard let name = element.object?["name"]?.string, let value = element.object?["data"]?.string else {
                return nil
            }
            return HostAnswer.Header(name: name, value: value)
        }
        return headers.count == elements.count ? headers : nil
    }
}
