// SPDX-License-Identifier: Apache-2.0
internal import Processes
internal import Retries
internal import Storage
internal import Synchronization

/// Receives the announcements of other nodes, on a connection and a thread of its own, and passes them to the observers.
///
/// The server keeps no notification for a connection that is lost. Each time the connection has been opened again, the
/// observers get ``AnnouncementMessage/gap``. Within the times in ``PostgreSQLConfiguration/Limits``, regular checks
/// detect that notifications no longer arrive, even if no packet reports the loss, or if a program between node and
/// server drops the notifications.
final class AnnouncementListener: Sendable {
    private let loop: ListenerLoop

    /// Starts the thread. It opens no connection before ``begin()``.
    ///
    /// - Parameter random: returns random numbers from 0 to 1, for pauses between attempts.
    /// - Throws: ``Failure`` if the process has no thread or descriptor left.
    init(
        _ address: ConnectionParameters, limits: PostgreSQLConfiguration.Limits, channel: NotificationChannel,
        observers: Observers, random: @escaping @Sendable () -> Double
    ) throws(Failure) {
        let loop = ListenerLoop(
            address: address, limits: limits, channel: channel, observers: observers, random: random,
            wakeUp: try WakeUp())
        self.loop = loop
        do throws(ThreadFailure) { try BlockingThread.start { loop.run() } } catch {
            throw Failure(
                .unavailable, as: .unavailable, "the process cannot create another thread, errno \(error.errno)")
        }
    }

    deinit { loop.change(to: .ended) }

    /// Opens the connection, and opens it again whenever it is lost.
    func begin() { loop.change(to: .listening) }
}

/// The work of the listener's thread. The thread keeps this object alive, but not the listener. When the listener is
/// released, the thread ends.
private final class ListenerLoop: Sendable {
    enum Phase: Int, Comparable {
        case waiting, listening, ended

        static func < (left: Phase, right: Phase) -> Bool { left.rawValue < right.rawValue }
    }

    private let address: ConnectionParameters
    private let limits: PostgreSQLConfiguration.Limits
    private let channel: NotificationChannel
    private let observers: Observers
    private let random: @Sendable () -> Double
    private let wakeUp: WakeUp
    private let phase = Mutex(Phase.waiting)

    init(
        address: ConnectionParameters, limits: PostgreSQLConfiguration.Limits, channel: NotificationChannel,
        observers: Observers, random: @escaping @Sendable () -> Double, wakeUp: WakeUp
    ) {
        (self.address, self.limits, self.channel) = (address, limits, channel)
        (self.observers, self.random, self.wakeUp) = (observers, random, wakeUp)
    }

    /// Enters a later phase and wakes the thread.
    func change(to new: Phase) {
        phase.withLock { $0 = max($0, new) }
        wakeUp.signal()
    }

    private var isEnded: Bool { phase.withLock { $0 == .ended } }

    func run() {
        while phase.withLock({ $0 == .waiting }) { wakeUp.wait(until: .now + .seconds(3600)) }
        var pauses = Backoff(
            from: .milliseconds(100), to: .seconds(5), success: limits.announcementCheck)
        while !isEnded {
            let begin = ContinuousClock.now
            do throws(Failure) { try listen() } catch {
                // The next connection begins with a gap, so the observers miss no change; they only learn of it later.
            }
            let pause = pauses.next(after: ContinuousClock.now - begin)
            if !isEnded { wakeUp.wait(until: .now + pause.spread(random())) }
        }
    }

    /// Opens a connection and passes on what arrives on it, until the connection is lost or the listener ends.
    private func listen() throws(Failure) {
        let server = try ServerConnection(to: address, limit: limits.connect, wakeUp: wakeUp)
        try channel.listen(over: server, limit: limits.statement)
        observers.tell(AnnouncementMessage.gap)
        var check = ContinuousClock.now + limits.announcementCheck
        while true {
            try deliver(server.notifications())
            if isEnded { return }
            if ContinuousClock.now >= check {
                try channel.probe(over: server, limit: limits.statement)
                guard try deliver(server.notifications()) else {
                    throw Failure(.unavailable, as: .unavailable, "notifications do not arrive")
                }
                check = .now + limits.announcementCheck
            }
            server.awaitInput(until: check)
        }
    }

    /// Passes other nodes' announcements on. A text that cannot be decoded may have been an announcement, so it counts
    /// as a gap.
    ///
    /// - Returns: whether one of the texts came from this object.
    @discardableResult
    private func deliver(_ texts: [String]) -> Bool {
        var isOwnAmongThem = false
        for text in texts {
            guard let batch = AnnouncementBatch(text: text) else {
                observers.tell(AnnouncementMessage.gap)
                continue
            }
            // This object's own announcements were delivered when their transaction was committed.
            guard batch.sender != channel.sender else {
                isOwnAmongThem = true
                continue
            }
            for message in batch.messages { observers.tell(message) }
        }
        return isOwnAmongThem
    }
}
