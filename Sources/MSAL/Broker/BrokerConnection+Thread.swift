// SPDX-License-Identifier: Apache-2.0
internal import BrokerProtocol
internal import Dispatch
internal import Foundation
internal import Redaction
internal import Retries
internal import Synchronization
internal import UnixSocket

/// The connection's thread: connects, reads until the connection ends, pauses, connects again.
extension BrokerConnection {
    func run() {
        // A connection that ends within a second must not be opened again at once.
        var backoff = Backoff(
            from: .milliseconds(10), to: deadlines.pause, isFirstImmediate: true, success: .seconds(1))
        while true {
            let (isClosed, isWanted) = state.withLock { ($0.isClosed, $0.requests.wantsConnection) }
            if isClosed { break }
            guard isWanted else {
                wakeup.wait()
                continue
            }
            let start = ContinuousClock.now
            connectAndServe()
            rest(for: backoff.next(after: .now - start))
        }
        apply { $0.closed() }
    }

    /// Sleeps for `pause`, or until a call needs the connection.
    ///
    /// Does not use the semaphore's own timeout. That timeout follows the wall clock, so setting the clock back could
    /// make a pause last for hours.
    private func rest(for pause: Duration) {
        guard pause > .zero else { return }
        timers.asyncAfter(deadline: .now() + pause.timeInterval) { [wakeup] in wakeup.raise() }
        wakeup.wait()
    }

    private func connectAndServe() {
        defer {
            state.withLock { $0.connection = nil }
            decoded.removeAll()
        }
        do throws(LinkFailure) {
            let connection = try connect()
            let hello = try greet(connection)
            log.info("Connected to the broker.")
            apply { $0.opened(hello.epoch) }
            listener?.opened(hello.epoch)
            serve(connection)
        } catch {
            log.info("No connection to the broker: \(error).")
            apply { $0.failedToOpen(error) }
            listener?.missed(state.withLock { $0.requests.lastFailure })
        }
    }

    /// Connects and checks which user owns the listening process.
    private func connect() throws(LinkFailure) -> FrameConnection {
        let connection: FrameConnection
        let peer: Peer
        do throws(SocketError) {
            connection = try location.connect()
            try connection.descriptor.setSendTimeout(milliseconds: deadlines.taking.milliseconds)
            peer = try connection.descriptor.peer()
        } catch { throw location.failure(error) }
        guard location.trusts(peer) else { throw .untrusted(uid: peer.uid) }
        let isClosed = state.withLock { state in
            state.connection = connection
            return state.isClosed
        }
        if isClosed { connection.shutDown() }
        apply { $0.connected() }
        return connection
    }

    private func greet(_ connection: FrameConnection) throws(LinkFailure) -> BrokerHello {
        let alarm = DispatchWorkItem { connection.shutDown() }
        timers.asyncAfter(deadline: .now() + deadlines.hello.timeInterval, execute: alarm)
        defer { alarm.cancel() }
        let hello = ClientHello(
            clientName: ProcessInfo.processInfo.processName, clientVersion: libraryVersion, endedEpoch: endedEpoch,
            wantsEvents: listener != nil)
        do throws(SocketError) { try connection.write(ClientMessage.hello(hello).bytes) } catch {
            throw .unreachable(reason: error.description)
        }
        guard case .hello(let answer) = try read(connection) else { throw .corrupted }
        guard hello.transports.contains(answer.transport) else { throw .incompatible }
        return answer
    }

    /// Reads replies until the connection ends.
    private func serve(_ connection: FrameConnection) {
        do throws(LinkFailure) {
            while true {
                connection.awaitFrame()
                switch try read(connection) {
                case .reply(let reply): apply { $0.received(reply) }
                case .event(let event) where listener != nil: listener?.event(event)
                case .hello, .event: throw .corrupted
                }
            }
        } catch {
            connection.shutDown()
            log.info("The connection to the broker ended: \(error).")
            apply { $0.ended(error, now: .now) }
        }
    }

    private func read(_ connection: FrameConnection) throws(LinkFailure) -> BrokerMessage {
        let frame: FrameConnection.Frame
        do throws(FrameConnection.ReadFailure) {
            frame = try connection.read(patience: deadlines.frame)
        } catch {
            switch error {
            case .ended, .truncated, .tooSlow, .socket: throw .ended
            case .tooLarge, .notAdmitted: throw .corrupted
            }
        }
        var bytes = unsafe frame.body.withUnsafeBytes { unsafe [UInt8]($0) }
        defer { wipe(&bytes) }
        do throws(EnvelopeFailure) { return try BrokerMessage(bytes: bytes) } catch { throw .corrupted }
    }
}
