// SPDX-License-Identifier: Apache-2.0
internal import BrokerProtocol
internal import Processes
internal import SessionIPC

/// Owns the questions that the erasers of apps are asked.
final class ErasureQuestions {
    /// The questions that were last sent to the session process.
    private var told: [AppEraser: ErasureQuestion] = [:]
    private let locks: AppLocks
    private let processes: AppProcesses
    private let sessionProcess: SessionProcess

    init(locks: AppLocks, processes: AppProcesses, sessionProcess: SessionProcess) {
        (self.locks, self.processes, self.sessionProcess) = (locks, processes, sessionProcess)
    }

    private func questions(during pending: SessionMachine.PendingSignOut?) -> [AppEraser: ErasureQuestion] {
        let asked = locks.asked(during: pending).map { eraser, ended in
            (eraser, ErasureQuestion(ended: ended, erased: processes.erased(eraser, of: ended)))
        }
        return Dictionary(uniqueKeysWithValues: asked)
    }

    /// Returns the questions for the first message to a session process.
    func begin(during pending: SessionMachine.PendingSignOut?) -> [AppEraser: ErasureQuestion] {
        told = questions(during: pending)
        return told
    }

    /// Tells the session process the questions to the erasers, if the questions have changed.
    func tell(during pending: SessionMachine.PendingSignOut?) {
        let questions = questions(during: pending)
        guard questions != told else { return }
        told = questions
        sessionProcess.tell(.asked(questions))
    }

    /// Asks the erasers of apps that were locked because of a running process without an eraser, after that process has
    /// ended.
    func askInPlaceOfEnded(during pending: SessionMachine.PendingSignOut?) throws {
        let former = locks.epochs
        for (lock, ended) in former where lock == .whole(lock.bundleID) {
            let erasers = try processes.askAnew(lock.bundleID, of: ended)
            guard !erasers.isEmpty else { continue }
            // The session process ends the connections of the processes that have erased the data and must erase it
            // again.
            let answered = erasers.map { ($0.eraser, ErasureQuestion(ended: ended, erased: $0.erased)) }
            sessionProcess.tell(.asked(questions(during: pending).merging(answered) { $1 }))
            try locks.replaceWhole(lock.bundleID, with: erasers.map(\.eraser))
        }
        if locks.epochs != former { sessionProcess.tell(.locks(locks.epochs)) }
    }
}
