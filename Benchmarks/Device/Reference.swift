// SPDX-License-Identifier: Apache-2.0
import BrokerProtocol
import CRoundTrip
import Glibc
import Redaction
import UnixSocket

/// A bare round trip, written in C, between this process and a process that runs on the broker's processor.
struct Reference {
    private let socket: Int32

    init(processor: Int32) throws {
        socket = croundtrip_start(processor)
        guard socket >= 0 else { throw BenchProblem("fork: \(-socket)") }
    }

    /// Returns a subject: a round trip of as many bytes as `plain` sends and receives.
    func subject(_ name: String, like plain: PlainClient) throws -> Subject {
        let sizes = (4 + plain.request.count, 4 + (try plain.once()))
        return Subject(name: "\(name): bare round trip in C, \(sizes.0) and \(sizes.1) bytes") {
            guard croundtrip_once(socket, sizes.0, sizes.1) == 0 else { fatalError("the reference is gone") }
        }
    }
}

/// Debian's oidc-agent, through its own library.
struct OIDCAgent {
    init() throws {
        guard let reason = unsafe oidcagent_load() else { return }
        throw BenchProblem("oidc-agent's library: \(unsafe String(cString: reason)); install oidc-agent-cli")
    }

    /// Gets the account's cached token.
    func subject(_ name: String, account: String) throws -> Subject {
        guard unsafe oidcagent_token(account) == 0 else { throw BenchProblem("oidc-agent has no token of \(account)") }
        return Subject(name: "\(name): oidc-agent, its own library") {
            guard unsafe oidcagent_token(account) == 0 else { fatalError("oidc-agent has no token any more") }
        }
    }
}

/// One request to the broker, encoded once and repeated with the same id. It measures the broker and the socket without
/// a client library.
struct PlainClient: Sendable {
    let request: [UInt8]
    private let connection: FrameConnection

    init(_ operation: Operation, _ parameters: FlatMap) throws {
        let socket = unsafe getenv("BATON_SOCKET").map { unsafe String(cString: $0) } ?? WellKnownPath.brokerSocket
        connection = try FrameConnection.connect(to: socket, maximumFrame: Wire.maximumFrame)
        try connection.write(
            ClientMessage.hello(ClientHello(clientName: "device-benchmark", clientVersion: "1")).bytes)
        _ = try connection.read()
        request =
            ClientMessage.request(
                Request(
                    id: "00000000-0000-4000-8000-000000000000", operation: operation, parameters: parameters,
                    isSilent: true)
            ).bytes
    }

    /// Sends the request and returns the length of the reply.
    func once() throws -> Int {
        try connection.write(request)
        connection.awaitFrame()
        return try connection.read().body.count
    }

    func subject(_ name: String) -> Subject {
        Subject(name: "\(name): broker without a client library") {
            do { _ = try once() } catch { fatalError("\(error)") }
        }
    }
}
