// SPDX-License-Identifier: Apache-2.0
internal import BrokerProtocol
internal import DeviceSettings
internal import Logging
internal import Processes
internal import SessionIPC

/// Owns what apps report about a worker's data: that they receive it, that they can erase it, and that they have erased
/// it.
final class AppErasers {
    /// The erasers of the session that were refused because their apps had too many processes with erasers.
    private var withoutRoom: Set<AppEraser> = []
    private let session: SessionCoordinator
    private let locks: AppLocks
    private let processes: AppProcesses
    private let questions: ErasureQuestions
    private let removal: AppDataRemoval
    private let sessionProcess: SessionProcess
    private let logger: Logger

    init(
        session: SessionCoordinator, locks: AppLocks, processes: AppProcesses, questions: ErasureQuestions,
        removal: AppDataRemoval, sessionProcess: SessionProcess, logger: Logger
    ) {
        (self.session, self.locks, self.processes, self.questions) = (session, locks, processes, questions)
        (self.removal, self.sessionProcess, self.logger) = (removal, sessionProcess, logger)
    }

    // MARK: - Reports of apps

    /// Notes that an app with folders of data is about to be given data of this epoch's worker.
    ///
    /// - Returns: whether the app may be given that data.
    func note(_ app: String, _ process: ProcessTable.Name, in epoch: Epoch) throws -> Bool {
        guard session.state.heldEpoch == epoch else {
            // An app of the session that is being cleared has connected again.
            if session.state.pending != nil {
                try processes.noteLate(process, of: app)
                processes.watch()
            }
            return false
        }
        try processes.note(process, of: app)
        try session.dataHolderArrived(app, epoch)
        try removal.noteFolders(in: session.state)
        return session.state.session?.dataHolders.contains(app) == true
    }

    /// The outcome of a registration.
    enum Registration {
        case registered
        /// The session has ended, or the app is locked.
        case refused
        /// The app has the maximum number of erasers, or of processes that have registered them.
        case full

        func answer(to requestID: UInt64) -> SupervisorMessage {
            switch self {
            case .registered: .appSettled(requestID: requestID, accepted: true)
            case .refused: .appSettled(requestID: requestID, accepted: false)
            case .full: .appIsFull(requestID: requestID)
            }
        }
    }

    /// Registers an app's eraser. A locked app must erase its data first.
    func enlist(_ eraser: AppEraser, _ process: ProcessTable.Name, in epoch: Epoch) throws -> Registration {
        guard !locks.isLocked(eraser.bundleID), let live = session.state.session, live.epoch == epoch else {
            return .refused
        }
        guard live.hasRoom(for: eraser) else { return .full }
        guard try processes.register(process, for: eraser, in: epoch) else {
            withoutRoom.insert(eraser)
            processes.watch()
            return .full
        }
        try session.eraserEnlisted(eraser, epoch)
        let active = session.state.session
        return active?.epoch == epoch && active?.erasers.contains(eraser) == true ? .registered : .refused
    }

    /// Handles a process's answer about its data of an ended epoch.
    ///
    /// - Returns: whether that epoch has ended; data of the live epoch cannot have been erased.
    func answered(
        _ eraser: AppEraser, _ process: ProcessTable.Name, hasErased: Bool, of ended: Epoch
    ) throws -> Bool {
        guard ended.counter < session.epoch.counter else { return false }
        guard locks.asked(during: session.state.pending)[eraser] == ended else { return true }
        try settle(eraser, try processes.answer(eraser, process, hasErased: hasErased, of: ended), of: ended)
        questions.tell(during: session.state.pending)
        return true
    }

    /// Handles the combined answer of an eraser's processes.
    private func settle(_ eraser: AppEraser, _ answer: Commit.Answer, of ended: Epoch) throws {
        guard answer != .awaited else { return }
        try session.eraserAnswered(eraser, hasErased: answer == .done, of: ended)
        guard answer == .done, try locks.unlock(eraser, erased: ended) else { return }
        if !locks.isLocked(eraser.bundleID) { try processes.forgetFolders(of: eraser.bundleID) }
        sessionProcess.tell(.locks(locks.epochs))
    }

    // MARK: - Processes that have ended

    /// Handles the end of a process. It may have been the last process that had not answered, or may have left data.
    func appProcessEnded() throws {
        for (eraser, ended) in locks.asked(during: session.state.pending) {
            try processes.askAgain(eraser, of: ended)
            if processes.answer(of: eraser, in: ended) == .done { try settle(eraser, .done, of: ended) }
        }
        try questions.askInPlaceOfEnded(during: session.state.pending)
        questions.tell(during: session.state.pending)
        try session.noteGone()
        tellOfRoom()
        processes.watch()
    }

    /// If there is room now, notifies the erasers that were refused for lack of room.
    private func tellOfRoom() {
        guard let epoch = session.state.session?.epoch else { return withoutRoom = [] }
        let admissible = withoutRoom.filter { processes.hasRoom(for: $0, in: epoch) }
        guard !admissible.isEmpty else { return }
        withoutRoom.subtract(admissible)
        sessionProcess.tell(.roomForErasers)
    }

    // MARK: - Operators

    /// Unlocks an app whose former worker's data was removed by hand.
    ///
    /// - Returns: whether the app was locked.
    func unlock(_ app: String) throws -> Bool {
        guard locks.isLocked(app) else { return false }
        try locks.unlock([app])
        try processes.forgetFolders(of: app)
        logger.notice("an operator has unlocked an app", metadata: ["app": "\(app)"])
        sessionProcess.tell(.locks(locks.epochs))
        questions.tell(during: session.state.pending)
        return true
    }
}
