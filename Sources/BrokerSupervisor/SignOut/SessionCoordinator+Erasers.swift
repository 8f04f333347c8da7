// SPDX-License-Identifier: Apache-2.0
internal import BrokerDevice
internal import BrokerProtocol
internal import Logging
internal import Processes

/// The erasers of apps that erase a worker's data themselves, and the processes that hold that data.
extension SessionCoordinator {
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

    /// Registers an app's eraser. A locked app must erase first.
    func enlist(_ eraser: AppEraser, _ process: ProcessTable.Name, in epoch: Epoch) throws -> Registration {
        guard !locks.isLocked(eraser.bundleID), let live = machine.state.session, live.epoch == epoch else {
            return .refused
        }
        guard live.hasRoom(for: eraser) else { return .full }
        guard try appProcesses.register(process, for: eraser, in: epoch) else {
            withoutRoom.insert(eraser)
            watchProcesses()
            return .full
        }
        try handle(.eraserEnlisted(eraser, epoch))
        let session = machine.state.session
        return session?.epoch == epoch && session?.erasers.contains(eraser) == true ? .registered : .refused
    }

    /// Handles a process's answer about its data of an ended epoch.
    ///
    /// - Returns: whether that epoch has ended; data of the live epoch cannot have been erased.
    func answered(
        _ eraser: AppEraser, _ process: ProcessTable.Name, hasErased: Bool, of ended: Epoch
    ) throws -> Bool {
        guard ended.counter < machine.epoch.counter else { return false }
        guard locks.asked(during: machine.state.pending)[eraser] == ended else { return true }
        try settle(
            eraser, try appProcesses.answer(eraser, process, hasErased: hasErased, of: ended), of: ended)
        tellAsked()
        return true
    }

    /// Handles the end of a process that may have been the last that had not answered, or may have left data.
    func appProcessEnded() throws {
        for (eraser, ended) in locks.asked(during: machine.state.pending) {
            try appProcesses.askAgain(eraser, of: ended)
            if appProcesses.answer(of: eraser, in: ended) == .done { try settle(eraser, .done, of: ended) }
        }
        try askInPlaceOfEnded()
        tellAsked()
        try noteGone()
        tellOfRoom()
        watchProcesses()
    }

    /// Tells the erasers that were refused for want of room if there is some.
    private func tellOfRoom() {
        guard let epoch = machine.state.session?.epoch else { return withoutRoom = [] }
        let admissible = withoutRoom.filter { appProcesses.hasRoom(for: $0, in: epoch) }
        guard !admissible.isEmpty else { return }
        withoutRoom.subtract(admissible)
        sessionProcess.tell(.roomForErasers)
    }

    /// Asks the erasers of apps that are locked because a process without an eraser went on, and has ended.
    func askInPlaceOfEnded() throws {
        let former = locks.epochs
        for (lock, ended) in former where lock == .whole(lock.bundleID) {
            let known = appProcesses
            let erasers = try appProcesses.askAnew(lock.bundleID, of: ended)
            guard !erasers.isEmpty else { continue }
            // The session process ends the connections of those that have erased and must erase again.
            let answered = erasers.map { ($0, ErasureQuestion(ended: ended, erased: known.erased($0, of: ended))) }
            sessionProcess.tell(.asked(questions.merging(answered) { $1 }))
            try locks.replaceWhole(lock.bundleID, with: erasers)
        }
        if locks.epochs != former { sessionProcess.tell(.locks(locks.epochs)) }
    }

    /// Waits no longer for erasers without a process.
    func noteGone() throws {
        guard let pending = machine.state.pending else { return }
        let gone = appProcesses.gone(pending.commit.erasers.keys, in: pending.ended)
        if !gone.isSubset(of: pending.gone) { try handle(.erasersGone(gone, pending.ended)) }
    }

    /// What the erasers are asked.
    var questions: [AppEraser: ErasureQuestion] {
        let asked = locks.asked(during: machine.state.pending).map { eraser, ended in
            (eraser, ErasureQuestion(ended: ended, erased: appProcesses.erased(eraser, of: ended)))
        }
        return Dictionary(uniqueKeysWithValues: asked)
    }

    /// Tells the session process what the erasers are asked, if that has changed.
    func tellAsked() {
        let questions = questions
        guard questions != toldQuestions else { return }
        toldQuestions = questions
        sessionProcess.tell(.asked(questions))
    }

    /// Handles what the processes of an eraser have said together.
    private func settle(_ eraser: AppEraser, _ answer: Commit.Answer, of ended: Epoch) throws {
        guard answer != .awaited else { return }
        try handle(.eraserAnswered(eraser, hasErased: answer == .done, ended))
        guard answer == .done, try locks.unlock(eraser, erased: ended) else { return }
        sessionProcess.tell(.locks(locks.epochs))
    }

    /// Has the ends of processes reported that may settle something.
    func watchProcesses() {
        guard !processWatch.watch(appProcesses.toWatch) else { return }
        logger.notice("not every process of an app is watched, so some are waited for after their end")
    }

    /// For each locked app, what keeps it from being unlocked, besides its data.
    var lockObstacles: [String: LockObstacle] {
        var obstacles: [String: LockObstacle] = [:]
        for (eraser, ended) in locks.epochs {
            let processes = appProcesses.unerased(eraser, of: ended).map(\.pid)
            obstacles[eraser.bundleID, default: LockObstacle()].processes += processes
            obstacles[eraser.bundleID]?.isIncomplete = !appProcesses.isComplete
        }
        return obstacles
    }
}

/// What keeps an app locked although another of its processes may have erased.
package struct LockObstacle: Sendable, Equatable {
    /// The running processes that have not erased.
    package var processes: [Int32] = []
    /// Whether it is not known which processes the app has.
    package var isIncomplete = false

    package init(processes: [Int32] = [], isIncomplete: Bool = false) {
        (self.processes, self.isIncomplete) = (processes, isIncomplete)
    }
}
