// SPDX-License-Identifier: Apache-2.0
internal import BrokerProtocol
internal import DeviceSettings
internal import Processes
internal import SessionIPC
internal import Synchronization

/// Registers apps that erase a worker's data themselves, asks these apps after a sign-out whether they have erased it,
/// and records their answers.
///
/// The supervisor writes an app's answer to disk before the app is answered.
final class ErasureService: Sendable {
    private let session: CurrentSession
    private let access: AppAccess
    private let answers: SupervisorAnswers
    private let asked: Mutex<[AppEraser: ErasureQuestion]>

    /// - Parameter asked: the question to each eraser.
    init(asked: [AppEraser: ErasureQuestion], session: CurrentSession, access: AppAccess, answers: SupervisorAnswers) {
        self.asked = Mutex(asked)
        (self.session, self.access, self.answers) = (session, access, answers)
    }

    /// Replaces the questions to the erasers.
    ///
    /// - Returns: the processes that have erased their data and must erase it again.
    func update(_ questions: [AppEraser: ErasureQuestion]) -> Set<ProcessTable.Name> {
        asked.withLock { asked in
            let former = asked
            asked = questions
            return Set(
                questions.flatMap { eraser, question in
                    former[eraser].map { $0.ended == question.ended ? $0.erased.subtracting(question.erased) : [] }
                        ?? []
                })
        }
    }

    /// Whether any app must still confirm that it has erased its data of this epoch.
    func isAsked(about ended: Epoch) -> Bool { asked.withLock { $0.values.contains { $0.ended == ended } } }

    /// Returns the current epoch, and the ended epoch whose data the eraser must erase. A locked app gets an answer as
    /// well. So does an app that must still erase data, even if the device is no longer in shared mode.
    func epoch(_ call: AppRequest) throws(BrokerError) -> AppResponse {
        let client = try ClientRequest(call.parameters)
        let eraser = try AppEraser(call.parameters, bundleID: try access.owner(client, in: call).bundleID)
        var response = AppResponse(needsNoMode: true)
        response.entries[.epoch] = session.epoch.description
        if let question = asked.withLock({ $0[eraser] }), !question.erased.contains(process(of: call)) {
            response.entries[.endedEpoch] = question.ended.description
        } else {
            // The app has nothing to erase, so it is answered like every other app: only in shared mode, and only if
            // the profile permits it.
            _ = try access.registered(client, in: call)
        }
        return response
    }

    /// Returns the process that sent the request. A process that the broker cannot see may erase what others have left,
    /// although it cannot register.
    private func process(of call: AppRequest) -> ProcessTable.Name { call.app.peer.name ?? .unseen }

    /// Registers an eraser: after a sign-out it is asked whether it has erased the worker's data. Blocks until the
    /// registration is on disk.
    ///
    /// - Throws: ``BrokerError`` if the process is unknown: the broker could not distinguish it from other such
    ///   processes, and the first answer would count for all of them.
    func register(_ call: AppRequest) throws(BrokerError) -> AppResponse {
        let app = try access.app(ClientRequest(call.parameters), in: call)
        let process = try call.process()
        let now = session.now
        guard now.worker != nil else {
            throw BrokerError(
                .interactionRequired, "Nobody is signed in, so there is nothing to erase. Register during a session.",
                reason: .nobody)
        }
        let (eraser, epoch) = (try AppEraser(call.parameters, bundleID: app.bundleID), now.epoch)
        switch try answers.answer({ .eraserEnlisted(eraser, process, epoch: epoch, requestID: $0) }) {
        case .accepted: return AppResponse()
        case .refused: throw BrokerError(.internal, "The session has ended. Ask for the epoch again.")
        case .full:
            throw BrokerError(
                .developerParameter,
                "An app may register \(HandoverName.maximumCount) erasers, each in \(HandoverName.maximumProcesses) "
                    + "processes, and \(HandoverName.maximumRegistrations) times in all. End the processes that are not "
                    + "needed, or register fewer erasers in each.", reason: .erasersTooMany)
        }
    }

    /// Records an eraser's answer about an ended epoch. Blocks until the answer is on disk.
    func acknowledge(_ call: AppRequest) throws(BrokerError) -> AppResponse {
        let report = try EraserReport(call.parameters)
        let eraser = try AppEraser(
            call.parameters, bundleID: try access.owner(report.client, in: call).bundleID)
        guard call.app.endedEpoch == report.epoch else {
            throw BrokerError(
                .developerParameter,
                call.app.endedEpoch == nil
                    ? "An ended epoch is acknowledged on a connection of its own. Connect with ended_epoch in the hello."
                    : "The hello of this connection named another ended epoch than baton_epoch. Send the same one in both: "
                        + "connect anew for another one.")
        }
        let (ended, process) = (report.epoch, process(of: call))
        guard try answers.isAccepted({ .eraserAnswered(eraser, process, ended: ended, report.result, requestID: $0) })
        else {
            throw BrokerError(.developerParameter, "This epoch has not ended. Acknowledge one that has.")
        }
        return AppResponse(needsNoMode: true)
    }
}
