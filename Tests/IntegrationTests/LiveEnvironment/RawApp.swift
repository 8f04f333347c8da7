// SPDX-License-Identifier: Apache-2.0
import BrokerProtocol
import Foundation
import Glibc
import Processes
import Redaction
import TestSupport
import UnixSocket

/// A connection to the broker's socket that can send anything, valid or not.
final class RawApp: Sendable {
    private let connection: FrameConnection

    /// More than the broker accepts, so that a test can send a frame that is too long.
    static let maximumFrame = Wire.maximumFrame * 2

    convenience init(_ live: LiveEnvironment, socket: String = "run/broker.sock") throws {
        try self.init(FrameConnection.connect(to: live.path(socket), maximumFrame: Self.maximumFrame))
    }

    init(_ connection: FrameConnection) throws {
        self.connection = connection
        // If the broker neither answers nor closes the connection, the test fails instead of waiting forever.
        try connection.descriptor.setReceiveTimeout(milliseconds: 60_000)
    }

    /// What the broker sends next.
    enum Answer: Equatable {
        case message(BrokerMessage)
        case ended
    }

    func answer() async throws -> Answer {
        try await blocking { [connection] in
            let body: SecretBytes
            do throws(FrameConnection.ReadFailure) { body = try connection.read().body } catch {
                // If the broker closes while it has unread bytes, the kernel reports a reset.
                let isReset = error == .socket(SocketError(call: .receive, errno: 104))
                guard error == .ended || isReset else { throw error }
                return .ended
            }
            return .message(try BrokerMessage(bytes: unsafe body.withUnsafeBytes { unsafe [UInt8]($0) }))
        }
    }

    func close() { connection.shutDown() }

    /// Whether the broker has closed the connection, or closes it within this time. Reads nothing.
    func ends(within limit: Duration = .seconds(60)) async throws -> Bool {
        try await blocking { [connection] in
            connection.descriptor.withNumber { number in
                var item = pollfd(fd: number, events: 0, revents: 0)
                return unsafe poll(&item, 1, Int32(limit / .milliseconds(1))) == 1
            }
        }
    }

    /// Whether the broker has sent something that was not read, or has closed the connection.
    var hasAnswer: Bool {
        connection.descriptor.withNumber { number in
            var item = pollfd(fd: number, events: Int16(POLLIN), revents: 0)
            return unsafe poll(&item, 1, 0) == 1
        }
    }

    func send(frame body: [UInt8]) throws { try connection.write(body) }
    func send(frame body: String) throws { try connection.write(Array(body.utf8)) }
    func send(_ message: ClientMessage) throws { try connection.write(message.bytes) }

    /// Sends bytes without framing. If the broker has closed the connection, they are dropped.
    func send(raw bytes: [UInt8]) throws {
        let sent = connection.descriptor.withNumber { number in
            unsafe Glibc.send(number, bytes, bytes.count, Int32(MSG_NOSIGNAL))
        }
        guard sent == bytes.count || (sent < 0 && [EPIPE, ECONNRESET].contains(errno)) else {
            throw TestProblem("send: error \(errno)")
        }
    }

    /// Sends a hello and reads the broker's.
    @discardableResult
    func greet(endedEpoch: Epoch? = nil, wantsEvents: Bool = false) async throws -> BrokerHello {
        try send(
            .hello(
                ClientHello(
                    clientName: "raw", clientVersion: "1", endedEpoch: endedEpoch, wantsEvents: wantsEvents)))
        guard case .message(.hello(let hello)) = try await answer() else { throw TestProblem("no hello") }
        return hello
    }

    /// Requests one operation.
    func ask(
        _ operation: BrokerProtocol.Operation, _ parameters: FlatMap
    ) async throws -> Result<FlatMap, BrokerError> {
        let id = UUID().uuidString
        try send(.request(Request(id: id, operation: operation, parameters: parameters, isSilent: true)))
        guard case .message(.reply(let reply)) = try await answer(), reply.requestID == id else {
            throw TestProblem("\(operation.rawValue) was not answered")
        }
        return reply.outcome
    }

    /// Requests one operation. The answer must be an error.
    func refusal(_ operation: BrokerProtocol.Operation, _ parameters: FlatMap) async throws -> BrokerError {
        guard case .failure(let error) = try await ask(operation, parameters) else {
            throw TestProblem("\(operation.rawValue) was not refused")
        }
        return error
    }
}
