// SPDX-License-Identifier: Apache-2.0
internal import BrokerProtocol
internal import CLinux
internal import Glibc
internal import Logging
internal import Redaction
internal import Synchronization
internal import UnixSocket

/// One app's connection: it begins with a hello, belongs to one epoch, and ends with it.
///
/// A thread reads; replies go out under a lock from whatever thread made them. What is not a message of the protocol
/// closes this connection and no other.
final class AppConnection: Sendable {
    let peer: PeerRecord
    private let connection: Connection
    private let writing = Mutex<Void>(())
    private let hello = Mutex<ClientHello?>(nil)
    /// Requests without an answer yet.
    private let open = Mutex(0)
    private let cancellations = Mutex<[String: @Sendable () -> Void]>([:])

    /// Milliseconds that an app may leave its replies unread before it is cut off.
    private static let sendPatience: Int32 = 2000
    /// Milliseconds for the hello.
    private static let helloPatience: Int32 = 5000

    /// Requests that one app may have open at once.
    private static let maximumOpen = 64

    init(_ descriptor: Descriptor, peer: PeerRecord) {
        self.peer = peer
        connection = Connection(descriptor, maximumFrame: Wire.maximumFrame, acceptsDescriptors: false)
    }

    var descriptor: Descriptor { connection.descriptor }
    /// The ended epoch that this connection is there to acknowledge, and nothing else.
    var endedEpoch: Epoch? { hello.withLock(\.self)?.endedEpoch }
    /// Whether the app has said hello and takes events.
    var wantsEvents: Bool { hello.withLock(\.self)?.wantsEvents ?? false }

    /// Greets and serves until either side ends the connection.
    ///
    /// - Parameter greeted: called when the app has said hello, before the broker does.
    func serve(
        epoch: Epoch, logger: Logger, greeted: (AppConnection) -> Void, answer: (Request, AppConnection) -> Void
    ) {
        defer { end() }
        do {
            try descriptor.setSendTimeout(milliseconds: Self.sendPatience)
            try descriptor.setReceiveTimeout(milliseconds: Self.helloPatience)
            guard case .hello(let hello) = try receive() else { return }
            guard hello.transports.contains(Wire.transport) else { return }
            self.hello.withLock { $0 = hello }
            greeted(self)
            try send(
                .hello(
                    BrokerHello(
                        transport: Wire.transport, brokerVersion: BrokerVersion.current,
                        operations: hello.endedEpoch == nil ? Operation.all : [.acknowledge],
                        events: hello.endedEpoch == nil ? BrokerEvent.Name.all : [], epoch: epoch)))
            try descriptor.setReceiveTimeout(milliseconds: 0)
            while true {
                switch try receive() {
                case .hello: return
                case .request(let request):
                    // An app that asks without waiting for answers is not served without end.
                    guard admit() else { return }
                    answer(request, self)
                case .cancel(let id): cancellations.withLock { $0.removeValue(forKey: id) }?()
                }
            }
        } catch {
            logger.debug("app connection ended", metadata: ["peer.pid": "\(peer.pid)", "reason": "\(error)"])
        }
    }

    private func admit() -> Bool {
        open.withLock { open in
            open += 1
            return open <= Self.maximumOpen
        }
    }

    private func receive() throws -> ClientMessage {
        let frame = try connection.read()
        var bytes = frame.body.withBytes { span in unsafe span.withUnsafeBytes { unsafe Array($0) } }
        defer { wipe(&bytes) }
        return try ClientMessage(bytes: bytes)
    }

    private func send(_ message: BrokerMessage) throws {
        var bytes = message.bytes
        defer { wipe(&bytes) }
        try writing.withLock { _ in try connection.write(bytes) }
    }

    /// Sends the one reply to a request; an app that does not take it is cut off.
    func reply(to request: Request, _ outcome: Result<FlatMap, BrokerError>) {
        _ = cancellations.withLock { $0.removeValue(forKey: request.id) }
        open.withLock { $0 -= 1 }
        do { try send(.reply(Reply(requestID: request.id, outcome: outcome))) } catch { end() }
    }

    /// Tells the app something unasked, where it reads what it is sent; one that does not is not waited for.
    func tell(_ event: BrokerEvent) {
        let message = BrokerMessage.event(event)
        // A socket that the kernel calls writable has more room than an event needs.
        guard descriptor.withNumber(isWritable) else { return }
        let sent: Bool? = writing.withLockIfAvailable { _ in
            do { try connection.write(message.bytes) } catch { return false }
            return true
        }
        if sent == false { end() }
    }

    /// What to do when the app gives up `request`, or goes away while it waits.
    func onCancel(_ request: Request, _ action: @escaping @Sendable () -> Void) {
        cancellations.withLock { $0[request.id] = action }
    }

    /// Ends the connection: to the app, the notice that its epoch is over.
    func end() {
        connection.shutDown()
        let waiting = cancellations.withLock { waiting in
            defer { waiting.removeAll() }
            return Array(waiting.values)
        }
        for cancel in waiting { cancel() }
    }
}

private func isWritable(_ number: Int32) -> Bool {
    var question = pollfd(fd: number, events: Int16(POLLOUT), revents: 0)
    return unsafe poll(&question, 1, 0) == 1 && question.revents == Int16(POLLOUT)
}
