// SPDX-License-Identifier: Apache-2.0
internal import BrokerIPC
internal import BrokerProtocol
internal import Glibc
internal import JSON
internal import Logging
internal import Observability
internal import Processes
internal import SessionIPC
internal import UnixSocket

/// Owns the session process. At most one process serves at a time. Used only on the supervisor's thread.
final class SessionProcess {
    private typealias Channel = FramedJSON<SessionProcessMessage, SupervisorMessage>

    private struct Link {
        let number: UInt64
        let process: ChildProcess
        let channel: Channel
        let started: ContinuousClock.Instant
    }

    private let executable: String
    private let inputs: Mailbox<SupervisorInput>
    private let waiting: WaitingConnections
    private let clock: SupervisorClock
    private let logger: Logger

    private var link: Link?
    /// The next process, which waits for its first message.
    private var prepared: (process: ChildProcess, channel: Channel)?
    private var number: UInt64 = 0
    /// How long the last process ran.
    private(set) var lastLife = Duration.zero

    init(
        executable: String, inputs: Mailbox<SupervisorInput>, waiting: WaitingConnections, clock: SupervisorClock,
        logger: Logger
    ) {
        (self.executable, self.inputs, self.waiting) = (executable, inputs, waiting)
        (self.clock, self.logger) = (clock, logger)
    }

    /// The process that runs now.
    var pid: pid_t? { link?.process.pid }

    /// Whether the process with this number is the current process.
    func isNow(_ number: UInt64) -> Bool { number == link?.number }

    /// Loads the program of the next process while the current process still serves, so that ``start(_:key:)`` does not
    /// wait for the loading. The next process knows nothing about any session until it is started.
    func prepare() throws { if prepared == nil { prepared = try spawn() } }

    private func spawn() throws -> (process: ChildProcess, channel: Channel) {
        let (ours, theirs) = try FrameConnection.pair(maximumFrame: Wire.sessionLimits.bytes)
        try ours.descriptor.setSendTimeout(milliseconds: Self.sendPatience)
        let process = try ChildProcess.spawn(
            executable: executable, name: "batond",
            arguments: SessionProcessArguments(
                logLevel: logger.logLevel.rawValue, logFormat: LogFormat.current.rawValue
            ).words,
            environment: Failpoint.environment,
            descriptors: [(theirs.descriptor, as: SupervisorMessage.descriptor)])
        return (process, FramedJSON(ours, limits: Wire.sessionLimits))
    }

    /// Starts a process in place of the current process.
    ///
    /// - Parameters:
    ///   - first: the first message to the process.
    ///   - key: the file of the session's key, if the process continues a session.
    /// - Throws: an error that prevents the start. A process that dies at once causes no error.
    func start(_ first: SupervisorMessage, key: Descriptor?) throws {
        try end()
        let (process, channel) = try prepared ?? spawn()
        prepared = nil
        number += 1
        let link = Link(number: number, process: process, channel: channel, started: clock.moment())
        self.link = link
        do { try link.channel.send(first, descriptors: key.map { [$0] } ?? []) } catch let error as SocketError
            where error.errno != EMSGSIZE
        {
            // The process has already died or does not read its messages. The thread that reads from it will report its
            // end.
            process.kill()
        }
        try listen(to: link)
        waiting.begin(link.number)
    }

    private func listen(to link: Link) throws {
        let (inputs, waiting, number) = (inputs, waiting, link.number)
        let (channel, process) = (link.channel, link.process)
        try BlockingThread.start {
            let intake = inputs.intake(capacity: Self.maximumPending)
            // The channel ends with the process, whatever the cause.
            while let (message, descriptors) = try? channel.receive() {
                guard case .connectionTaken = message else {
                    intake.post(.sessionProcessSent(message, descriptors, sessionProcess: number))
                    continue
                }
                waiting.taken(by: number)
            }
            process.kill()
            inputs.post(.sessionProcessEnded(sessionProcess: number))
        }
    }

    /// The maximum number of messages from the process that wait for the supervisor, so that apps cannot fill the
    /// supervisor's memory.
    private static let maximumPending = 256

    /// Milliseconds that the process may leave messages unread. Meanwhile the supervisor is blocked and cannot sign
    /// anyone out.
    private static let sendPatience: Int32 = 2000

    /// Sends a message to the process. A process that does not read its messages is killed; the thread that reads from
    /// it then reports its end.
    func tell(_ message: SupervisorMessage, descriptors: [Descriptor] = []) {
        do { try link?.channel.send(message, descriptors: descriptors) } catch {
            logger.error("the session process cannot be reached", metadata: ["error": "\(error)"])
            link?.process.kill()
        }
    }

    /// Passes on one app's connection. The other connections wait, so that the supervisor can do other work in between.
    func forwardNextApp() {
        guard let (descriptor, peer) = waiting.next() else { return }
        tell(.connection(peer), descriptors: [descriptor])
    }

    /// Passes on the connections of all waiting apps, so that these apps do not wait until a long event is handled.
    func forwardApps() {
        for (descriptor, peer) in waiting.all() { tell(.connection(peer), descriptors: [descriptor]) }
    }

    /// Kills the process. Waits until the kernel reports its exit.
    ///
    /// - Throws: ``ProcessFailure`` if it cannot be determined whether the process has ended. In that case nobody may
    ///   be served, and no receipt may claim that the process ended.
    func end() throws {
        guard let link else { return }
        self.link = nil
        waiting.begin(nil)
        lastLife = link.started.duration(to: clock.moment())
        link.process.kill()
        link.channel.connection.shutDown()
        let status = try link.process.waitForExit()
        logger.debug("session process ended", metadata: ["process.status": "\(status)"])
    }
}
