// SPDX-License-Identifier: Apache-2.0
internal import BrokerIPC
internal import BrokerProtocol
internal import Logging
internal import Retries
internal import SessionIPC

/// Owns the change from one session process to the next.
final class SessionProcessStarter {
    /// The start that was postponed, if any.
    private var due: (start: UInt64, epoch: Epoch)?
    /// The number of postponed starts so far.
    private var starts: UInt64 = 0
    /// The pauses before a process that died is started again, so that a process that keeps dying does not keep the
    /// device busy.
    private var restarts = Backoff(
        from: .milliseconds(100), to: .seconds(5), isFirstImmediate: true, success: .seconds(10))
    private let device: ConfiguredDevice
    private let sessionProcess: SessionProcess
    private let requests: SessionProcessRequests
    private let key: LiveSessionKey
    private let tombstones: TombstoneStore
    private let locks: AppLocks
    private let questions: ErasureQuestions
    private let requestedEnd: RequestedEnd
    private let timer: InputTimer
    private let logger: Logger

    init(
        device: ConfiguredDevice, sessionProcess: SessionProcess, requests: SessionProcessRequests, key: LiveSessionKey,
        tombstones: TombstoneStore, locks: AppLocks, questions: ErasureQuestions, requestedEnd: RequestedEnd,
        timer: InputTimer, logger: Logger
    ) {
        (self.device, self.sessionProcess, self.requests) = (device, sessionProcess, requests)
        (self.key, self.tombstones, self.locks) = (key, tombstones, locks)
        (self.questions, self.requestedEnd) = (questions, requestedEnd)
        (self.timer, self.logger) = (timer, logger)
    }

    /// Starts the process of this epoch in place of the current process.
    ///
    /// - Parameters:
    ///   - resuming: whether the process continues a session.
    ///   - pending: the sign-out that is not finished.
    func start(
        _ epoch: Epoch, resuming: Bool = false, during pending: SessionMachine.PendingSignOut?
    ) throws {
        try end()
        requestedEnd.forgetApps()
        let first = SupervisorMessage.start(
            configuration: device.configuration, epoch: epoch, resuming: resuming, device: device.snapshot,
            tombstones: tombstones.told, asked: questions.begin(during: pending), locks: locks.epochs)
        due = nil
        try sessionProcess.start(first, key: resuming ? key.file : nil)
    }

    /// Kills the process, waits until the kernel reports its exit, and answers everyone who waits for the process.
    ///
    /// - Throws: ``ProcessFailure``: see ``SessionProcess/end()``.
    func end() throws {
        requests.processEnds()
        try sessionProcess.end()
        requests.processEnded()
    }

    /// Postpones the next start if processes keep dying, and returns whether it did. When the pause is over,
    /// ``SupervisorInput/sessionProcessDue(start:)`` is posted.
    func putsOff(_ epoch: Epoch) -> Bool {
        let pause = restarts.next(after: sessionProcess.lastLife)
        guard pause > .zero else { return false }
        logger.error("session processes keep dying, pausing before the next start", metadata: ["pause": "\(pause)"])
        starts += 1
        due = (starts, epoch)
        timer.post(.sessionProcessDue(start: starts), after: pause)
        return true
    }

    /// The epoch of the postponed start with this number; nil if that start is no longer wanted.
    func epochDue(at start: UInt64) -> Epoch? { start == due?.start ? due?.epoch : nil }
}
