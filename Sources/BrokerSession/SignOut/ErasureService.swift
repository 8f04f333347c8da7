// SPDX-License-Identifier: Apache-2.0
internal import BrokerDevice
internal import BrokerProtocol
internal import Processes
internal import Synchronization

/// Registers apps that erase a worker's data themselves, asks these apps after a sign-out whether they have erased it,
/// and records their answers.
///
/// The supervisor writes an app's answer to disk before the app is answered.
final class ErasureService: Sendable {
    private let session: CurrentSession
    private let access: AppAccess
    private let answers: SupervisorAnswers
    private let questions: Mutex<Questions>

    private struct Questions {
        /// The ended epoch that each eraser is asked about.
        var asked: [AppEraser: Epoch]
        /// The processes that have erased while others of their app have not.
        var erased: Set<Erased> = []
    }

    private struct Erased: Hashable {
        let eraser: AppEraser
        let process: ProcessTable.Name
        let ended: Epoch
    }

    /// Beyond this number, a process may be asked again about what it has erased.
    private static let maximumErased = 1024

    /// - Parameter asked: the ended epoch that each eraser is asked about.
    init(asked: [AppEraser: Epoch], session: CurrentSession, access: AppAccess, answers: SupervisorAnswers) {
        questions = Mutex(Questions(asked: asked))
        (self.session, self.access, self.answers) = (session, access, answers)
    }

    /// The data of these erasers is gone: none of them needs to erase it, and none must, because the next worker's may be
    /// there already.
    func forget(_ isGone: (AppEraser) -> Bool) {
        questions.withLock { questions in
            questions.asked = questions.asked.filter { !isGone($0.key) }
            questions.erased = questions.erased.filter { !isGone($0.eraser) }
        }
    }

    /// Whether any app must still confirm that it has erased its data of this epoch.
    func isAsked(about ended: Epoch) -> Bool {
        questions.withLock { $0.asked.values.contains(ended) } || access.holdsLock(of: ended)
    }

    /// Returns the current epoch, and the ended epoch whose data the eraser must erase. A locked app is answered as well.
    func epoch(_ call: AppRequest) throws(BrokerError) -> AppResponse {
        let bundleID = try access.registered(ClientRequest(call.parameters), in: call).bundleID
        var response = AppResponse()
        response.entries[.epoch] = session.epoch.description
        let eraser = try AppEraser(call.parameters, bundleID: bundleID)
        response.entries[.endedEpoch] = question(for: eraser, call.app.peer.name)?.description
        return response
    }

    /// The ended epoch that a process is asked about.
    private func question(for eraser: AppEraser, _ process: ProcessTable.Name?) -> Epoch? {
        let locked = access.lock(of: eraser)
        return questions.withLock { questions in
            guard let ended = questions.asked[eraser] ?? locked else { return nil }
            guard let process else { return ended }
            return questions.erased.contains(Erased(eraser: eraser, process: process, ended: ended)) ? nil : ended
        }
    }

    /// Registers an eraser: after a sign-out it is asked whether it has erased the worker's data. Blocks until the
    /// registration is on disk.
    func register(_ call: AppRequest) throws(BrokerError) -> AppResponse {
        let app = try access.app(ClientRequest(call.parameters), in: call)
        let now = session.now
        guard now.worker != nil else {
            throw BrokerError(
                .interactionRequired, "Nobody is signed in, so there is nothing to erase. Register during a session.")
        }
        let (eraser, epoch) = (try AppEraser(call.parameters, bundleID: app.bundleID), now.epoch)
        let process = call.app.peer.name
        guard try answers.isAccepted({ .eraserEnlisted(eraser, process, epoch: epoch, requestID: $0) }) else {
            throw BrokerError(
                .internal,
                "The session has ended, or has too many erasers: an app may have \(HandoverName.maximumCount), and each in "
                    + "\(HandoverName.maximumProcesses) processes. Ask for the epoch again.")
        }
        return AppResponse()
    }

    /// Records an eraser's answer about an ended epoch. Blocks until the answer is on disk.
    func acknowledge(_ call: AppRequest) throws(BrokerError) -> AppResponse {
        let report = try EraserReport(call.parameters)
        let eraser = try AppEraser(
            call.parameters, bundleID: try access.registered(report.client, in: call).bundleID)
        guard call.app.endedEpoch == report.epoch else {
            throw BrokerError(
                .developerParameter,
                "An ended epoch is acknowledged on a connection of its own. Connect with ended_epoch in the hello.")
        }
        let (ended, process) = (report.epoch, call.app.peer.name)
        guard try answers.isAccepted({ .eraserAnswered(eraser, process, ended: ended, report.result, requestID: $0) })
        else {
            throw BrokerError(.developerParameter, "This epoch has not ended. Acknowledge one that has.")
        }
        // Once every process has erased, the supervisor has said so before it accepted the last answer.
        if report.result == .done, let process {
            questions.withLock { questions in
                guard questions.erased.count < Self.maximumErased else { return }
                questions.erased.insert(Erased(eraser: eraser, process: process, ended: ended))
            }
        }
        return AppResponse()
    }
}
