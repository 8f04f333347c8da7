// SPDX-License-Identifier: Apache-2.0
internal import BrokerDevice
internal import BrokerIPC
internal import BrokerProtocol
internal import Glibc
internal import JSON
internal import Logging
internal import Processes
internal import UnixSocket

/// The session process: started, told, ended, and started again after a pause where it died. One at a time; used on the
/// supervisor's thread alone.
final class SessionProcess {
    private struct Link {
        let number: UInt64
        let process: ChildProcess
        let channel: FramedJSON<SessionProcessMessage, SupervisorMessage>
        let started: ContinuousClock.Instant
    }

    private let executable: String
    private let inputs: Mailbox<SupervisorInput>
    private let waiting: WaitingConnections
    private let clock: SupervisorClock
    private let logger: Logger

    /// Who waits for the worker to set a PIN.
    var pin = PINRequest()
    /// Who waits until a change of the device is known to the process.
    var changes = DeviceChanges()
    /// What the process found of offline leases; nil before it looked.
    var leases: LeaseCount?
    private var link: Link?
    private var number: UInt64 = 0
    /// The one that will be started after a pause.
    private var due: (start: UInt64, epoch: Epoch)?
    /// Counts the starts that were put off.
    private var starts: UInt64 = 0
    private var restartPause = RestartPause()
    /// How long the last one lived.
    private var lastLife = Duration.zero

    init(
        executable: String, inputs: Mailbox<SupervisorInput>, waiting: WaitingConnections, clock: SupervisorClock,
        logger: Logger
    ) {
        (self.executable, self.inputs, self.waiting) = (executable, inputs, waiting)
        (self.clock, self.logger) = (clock, logger)
    }

    /// Whether it is this one that runs.
    func isNow(_ number: UInt64) -> Bool { number == link?.number }

    /// Starts one in the place of the one before.
    ///
    /// - Parameters:
    ///   - first: what it is told first.
    ///   - key: the file of the session's key, where it goes on with a session.
    /// - Throws: what keeps a process from starting; it dying at once is none of this.
    func start(_ first: SupervisorMessage, key: Descriptor?) throws {
        try end()
        due = nil
        let (ours, theirs) = try Connection.pair(maximumFrame: Wire.sessionLimits.bytes)
        try ours.descriptor.setSendTimeout(milliseconds: Self.sendPatience)
        number += 1
        let process = try ChildProcess.spawn(
            executable: executable, name: "batond",
            arguments: ["session", "--log-level", logger.logLevel.rawValue], environment: Failpoint.environment,
            descriptors: [(theirs.descriptor, as: SupervisorMessage.descriptor)])
        let link = Link(
            number: number, process: process, channel: FramedJSON(ours, limits: Wire.sessionLimits),
            started: clock.moment())
        self.link = link
        do { try link.channel.send(first, descriptors: key.map { [$0] } ?? []) } catch let error as SocketError
            where error.errno != EMSGSIZE
        {
            // It has died already, or does not listen: its reader thread is about to say that it is gone.
            process.kill()
        }
        try listen(to: link)
        waiting.begin(link.number)
    }

    private func listen(to link: Link) throws {
        let (inputs, waiting, number) = (inputs, waiting, link.number)
        let (channel, process) = (link.channel, link.process)
        try BlockingThread.start {
            let intake = inputs.intake(capacity: Self.maximumUnheard)
            // The channel ends when the process does, however it does.
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

    /// What it has said and the supervisor has not heard: apps cannot fill the supervisor's memory by it.
    private static let maximumUnheard = 256

    /// Whether the next one has to wait, since they die one after the other; ``SupervisorInput/sessionProcessDue(start:)`` says when
    /// it may start.
    func putsOff(_ epoch: Epoch) -> Bool {
        let pause = restartPause.next(after: lastLife)
        guard pause > .zero else { return false }
        logger.error("session processes die, pausing", metadata: ["pause": "\(pause)"])
        starts += 1
        due = (starts, epoch)
        let (inputs, start) = (inputs, starts)
        clock.after(pause) { inputs.post(.sessionProcessDue(start: start)) }
        return true
    }

    /// The epoch for which the start that was put off is still wanted.
    func epochDue(at start: UInt64) -> Epoch? { start == due?.start ? due?.epoch : nil }

    /// Milliseconds that it may leave what it is told unread: the supervisor waits so long, and then nobody could be signed
    /// out any more.
    private static let sendPatience: Int32 = 2000

    /// Tells it something; one that does not listen is ended, as its reader thread says in a moment.
    func tell(_ message: SupervisorMessage, descriptors: [Descriptor] = []) {
        do { try link?.channel.send(message, descriptors: descriptors) } catch {
            logger.error("session process does not listen", metadata: ["error": "\(error)"])
            link?.process.kill()
        }
    }

    /// Tells it how the device is now.
    func tell(device: DeviceSnapshot) { tell(.device(device, change: changes.next())) }

    /// Answers when whoever asks is served by the device as it was told last.
    func whenDeviceIsKnown(_ answer: @escaping @Sendable () -> Void) {
        changes.whenKnown(answer)
        if link == nil { changes.known(changes.newest) }
    }

    /// Passes one app's connection on; the rest waits, so that everything else has its turn.
    func forwardNextApp() {
        guard let (descriptor, peer) = waiting.next() else { return }
        tell(.connection(peer), descriptors: [descriptor])
    }

    /// Kills it and waits until the kernel says that it is gone. Whoever waits for it is answered.
    ///
    /// - Throws: ``ProcessFailure`` where that cannot be told: nobody may be served then, and no receipt may say that it is.
    func end() throws {
        pin.settle(.pinInterrupted)
        leases = nil
        try reap()
        // Nobody is served by what it knew.
        changes.known(changes.newest)
    }

    private func reap() throws {
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
