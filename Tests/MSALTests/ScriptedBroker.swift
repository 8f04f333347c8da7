// SPDX-License-Identifier: Apache-2.0
import BrokerProtocol
import Foundation
import MSAL
import Redaction
import Synchronization
import Testing
import UnixSocket

/// A broker that behaves as a test's scripts say, correctly or not.
///
/// Each script serves one connection, in order. After the last script the broker stops listening.
final class ScriptedBroker: Sendable {
    typealias Script = @Sendable (BrokerEnd) throws -> Void

    let folder: URL
    let notifications = NotificationCenter()
    let connection: BrokerConnection
    private let listener: Listener

    /// `marker` is the path of the file that marks a managed device; if nil, the device counts as managed. The scripts
    /// run `rounds` times, because the library repeats a request once if it cannot read the reply.
    init(
        deadlines: BrokerDeadlines = .generous, marker: String? = nil, isTrusted: Bool = true, rounds: Int = 1,
        _ scripts: Script...
    ) throws {
        let scripts = (0..<rounds).flatMap { _ in scripts }
        folder = try scratchFolder()
        let socket = folder.appending(path: "broker.sock").path
        let nobody: @Sendable (Peer) -> Bool = { _ in false }
        listener = try Listener(path: socket, mode: 0o600)
        connection = BrokerConnection(
            location: BrokerLocation(socket: socket, marker: marker, trusted: isTrusted ? nil : nobody),
            deadlines: deadlines, notifications: notifications
        )
        Thread { [listener] in
            for (number, script) in scripts.enumerated() {
                guard let descriptor = try? listener.accept() else { return }
                let end = BrokerEnd(FrameConnection(descriptor, maximumFrame: Wire.maximumFrame))
                // A script that fails ends its connection, which the test sees as an unexpected outcome.
                try? script(end)
                // The listener closes first. Otherwise a client could connect after the last connection ended, and wait
                // for a hello that never comes.
                if number == scripts.count - 1 { listener.close() }
                end.connection.shutDown()
            }
        }.start()
    }

    /// Returns a broker that serves one connection. It records every request, including acknowledgements, and answers
    /// it with the result of `answer`, or with the `BrokerError` that `answer` throws.
    static func answering(
        _ requests: Requests = Requests(),
        _ answer: @escaping @Sendable (Request) throws -> FlatMap = { _ in FlatMap() }
    ) throws -> ScriptedBroker {
        try ScriptedBroker { end in
            try end.greet()
            while true {
                let request = try end.request()
                requests.add(request)
                do { try end.answer(request, try answer(request)) } catch let error as BrokerError {
                    try end.reply(request, .failure(error))
                }
            }
        }
    }

    deinit {
        connection.close()
        listener.close()
        try? FileManager.default.removeItem(at: folder)
    }

    /// Creates an application that uses this broker.
    func application(
        clientId: String = "client-1", tenant: String = TestValues.tenant,
        configure: (MSALPublicClientApplicationConfig) throws -> Void = { _ in }
    ) throws -> MSALPublicClientApplication {
        let configuration = MSALPublicClientApplicationConfig(
            clientId: clientId, redirectUri: "msauth.org.example.worker://auth",
            authority: try MSALAADAuthority(url: #require(URL(string: "https://login.baton.test/\(tenant)"))))
        try configure(configuration)
        return try MSALPublicClientApplication(configuration: configuration, broker: connection)
    }
}

/// The requests that a broker received.
final class Requests: Sendable {
    private let taken = Mutex<[Request]>([])

    func add(_ request: Request) { taken.withLock { $0.append(request) } }

    var all: [Request] { taken.withLock { $0 } }

    /// Returns the only request. Throws if there is not exactly one.
    func only() throws -> Request {
        let all = all
        try #require(all.count == 1)
        return all[0]
    }
}

/// The broker's end of one accepted connection.
struct BrokerEnd: Sendable {
    let connection: FrameConnection

    init(_ connection: FrameConnection) { self.connection = connection }

    func message() throws -> ClientMessage {
        try ClientMessage(bytes: unsafe connection.read().body.withUnsafeBytes { unsafe [UInt8]($0) })
    }

    func greet(_ epoch: Epoch = TestValues.epoch(1)) throws {
        guard case .hello = try message() else { throw ScriptFailure() }
        try send(
            .hello(BrokerHello(transport: Wire.transport, brokerVersion: "1", operations: Operation.all, epoch: epoch)))
    }

    /// Returns the next request. Throws ``ScriptFailure`` at any other message.
    func request() throws -> Request {
        guard case .request(let request) = try message() else { throw ScriptFailure() }
        return request
    }

    func send(_ message: BrokerMessage) throws { try connection.write(message.bytes) }

    func answer(_ request: Request, _ entries: FlatMap = FlatMap(), device: DeviceInfo = TestValues.shared) throws {
        try reply(
            request, .success(.response(to: request.operation, type: .generic, device: device, entries: entries)))
    }

    func reply(_ request: Request, _ outcome: Result<FlatMap, BrokerError>) throws {
        try send(.reply(Reply(requestID: request.id, outcome: outcome)))
    }

    /// Answers every request with the shared device's information until the connection ends.
    func serveDevice() throws {
        while true { try answer(try request()) }
    }

    /// Waits for the client to end the connection, without reading what it sends.
    func waitForEndWithoutReading() {
        var question = pollfd(fd: connection.descriptor.withNumber { $0 }, events: 0, revents: 0)
        _ = unsafe poll(&question, 1, -1)
    }

    /// Waits for the client to end the connection. Answers acknowledgements and ignores all other messages.
    func waitForEnd() {
        while let message = try? message() {
            if case .request(let request) = message, request.operation == .acknowledgeAccount { try? answer(request) }
        }
    }
}

private typealias Operation = BrokerProtocol.Operation

struct ScriptFailure: Error {}

extension BrokerDeadlines {
    /// Deadlines that no test reaches by accident.
    static var generous: BrokerDeadlines { within(.seconds(300)) }

    /// A short deadline for silent requests. The other deadlines stay generous, because a busy machine is slow to
    /// connect.
    static func answering(within duration: Duration) -> BrokerDeadlines {
        var deadlines = generous
        (deadlines.reading, deadlines.recording, deadlines.silent) = (duration, duration, duration)
        return deadlines
    }

    static func within(_ duration: Duration) -> BrokerDeadlines {
        var deadlines = BrokerDeadlines()
        deadlines.connect = duration
        deadlines.hello = duration
        (deadlines.reading, deadlines.recording, deadlines.silent) = (duration, duration, duration)
        return deadlines
    }
}

func scratchFolder() throws -> URL {
    let folder = FileManager.default.temporaryDirectory.appending(path: "msal-\(UUID().uuidString.prefix(8))")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    return folder
}
