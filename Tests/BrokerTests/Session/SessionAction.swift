// SPDX-License-Identifier: Apache-2.0
import BrokerProtocol
import BrokerSupervisor
import DeviceSettings
import SessionIPC

/// One step that any event can result in, so that a test can examine all results in the same way.
enum SessionAction: Sendable, Equatable {
    case journal(JournalRecord)
    case makeKey, destroyKey
    case startSessionProcess(Epoch, resuming: Bool)
    case restartSessionProcess(Epoch)
    case endSessionProcess
    case admit(SessionMachine.SignInRequestID, Epoch)
    case refuse(SessionMachine.SignInRequestID, SignInRefusal)
    case confirm(SessionMachine.SignInRequestID)
    case openBrowser(Epoch, String)
    case closeBrowser(Epoch)
    case clearFiles(Epoch)
    case announceEnd(Epoch)
    case awaitApps(Epoch)
    case takeData([String], Epoch)
    case lock([AppEraser], Epoch)
    case writeReceipt(HandoverOutcome)
    case answer([SessionMachine.Requester])
}

extension SessionMachine {
    /// The calls of the machine's methods, as values, so that a test can make all of them in every order.
    enum Event: Sendable, Equatable {
        case signInRequested(SignInRequestID)
        /// A sign-in has waited too long for the end of a sign-out.
        case signInTimedOut(SignInRequestID, SignInRefusal)
        case browserWanted(url: String, pages: [String] = [])
        case signInSucceeded
        case signInFailed
        case endWanted(Requester, SignOutTrigger)
        /// An app of this epoch asked to be notified before the end.
        case listenerArrived(Epoch)
        /// An app with folders of data has been given data of this epoch's worker.
        case dataHolderArrived(String, Epoch)
        /// An app of this epoch erases a worker's data itself.
        case eraserEnlisted(AppEraser, Epoch)
        /// Every app that was notified of the end has saved its work, or the grace period is over.
        case graceExpired(Epoch)
        /// An eraser reported whether it has erased its data of the ended epoch.
        case eraserAnswered(AppEraser, hasErased: Bool, Epoch)
        /// Every process that had registered one of these erasers in the ended epoch has ended.
        case erasersGone(Set<AppEraser>, Epoch)
        /// The apps' time to erase their data of the ended epoch is over.
        case appsOverdue(Epoch)
        /// The agent has taken away the data that these apps had of the ended epoch, or has not answered in time.
        case dataTaken(Set<String>, failed: Set<String>, absent: Set<String> = [], Epoch)
        case itemCleared(Item, Epoch)
        case sessionProcessDied
        case agentArrived
    }

    /// Starts like ``recover(from:keyKept:newID:)`` and returns the steps in order.
    static func recover(
        from record: JournalRecord?, keyKept: Bool, random: inout some RandomNumberGenerator
    ) -> (SessionMachine, [SessionAction]) {
        let (machine, outcome) = recover(from: record, keyKept: keyKept, newID: Epoch.ID(random: &random))
        switch outcome {
        case .signingOut(let steps): return (machine, steps.map(SessionAction.init))
        case .started(let steps): return (machine, steps.map(SessionAction.init))
        }
    }

    /// Passes the event to its method and returns the steps in order.
    mutating func handle(_ event: Event, random: inout some RandomNumberGenerator) -> [SessionAction] {
        let newID = Epoch.ID(random: &random)
        switch event {
        case .signInRequested(let requestID):
            switch signInRequested(requestID, newID: newID) {
            case .admitted(let steps): return steps.map(SessionAction.init)
            case .waiting: return []
            case .refused(let refused): return [.refuse(refused.requestID, refused.refusal)]
            }
        case .signInTimedOut(let requestID, let refusal):
            return signInTimedOut(requestID, refusal).map { [.refuse($0.requestID, $0.refusal)] } ?? []
        case .browserWanted(let url, _): return browserWanted().map { [.openBrowser($0, url)] } ?? []
        case .signInSucceeded: return signInSucceeded().map(SessionAction.init)
        case .signInFailed: return signInFailed(newID: newID).map(SessionAction.init)
        case .endWanted(let requester, let trigger):
            switch endWanted(by: requester, trigger, newID: newID) {
            case .alreadyReady(let requesters): return [.answer(requesters)]
            case .announced(let epoch): return [.announceEnd(epoch)]
            case .waiting: return []
            case .committed(let steps): return steps.map(SessionAction.init)
            }
        case .listenerArrived(let epoch):
            listenerArrived(epoch)
            return []
        case .eraserEnlisted(let eraser, let epoch):
            return eraserEnlisted(eraser, epoch).map { [.journal($0.record)] } ?? []
        case .dataHolderArrived(let app, let epoch):
            return dataHolderArrived(app, epoch).map { [.journal($0.record)] } ?? []
        case .graceExpired(let epoch): return graceExpired(epoch, newID: newID).map(SessionAction.init)
        case .eraserAnswered(let eraser, let hasErased, let ended):
            let outcome = eraserAnswered(eraser, hasErased: hasErased, of: ended, newID: newID)
            return outcome.map { [.journal(.signingOut($0.commit))] + SessionAction.all($0.completion) } ?? []
        case .erasersGone(let gone, let ended):
            return SessionAction.all(erasersGone(gone, of: ended, newID: newID))
        case .appsOverdue(let ended): return SessionAction.all(appsOverdue(ended, newID: newID))
        case .dataTaken(let apps, let failed, let absent, let ended):
            return SessionAction.all(dataTaken(apps, failed: failed, absent: absent, of: ended, newID: newID))
        case .itemCleared(let item, let ended): return SessionAction.all(itemCleared(item, of: ended, newID: newID))
        case .sessionProcessDied:
            switch sessionProcessDied(newID: newID) {
            case .restart(let epoch): return [.restartSessionProcess(epoch)]
            case .resume(let epoch): return [.startSessionProcess(epoch, resuming: true)]
            case .committed(let steps): return steps.map(SessionAction.init)
            }
        case .agentArrived: return agentArrived().map { [.closeBrowser($0)] } ?? []
        }
    }
}

extension SessionAction {
    fileprivate init(_ step: SessionMachine.StartStep) {
        switch step {
        case .journal(let epoch): self = .journal(.ready(epoch))
        case .startSessionProcess(let epoch, let resuming): self = .startSessionProcess(epoch, resuming: resuming)
        }
    }

    fileprivate init(_ step: SessionMachine.AdmissionStep) {
        switch step {
        case .journal(let epoch): self = .journal(.signingIn(epoch))
        case .makeKey: self = .makeKey
        case .admit(let requestID, let epoch): self = .admit(requestID, epoch)
        }
    }

    fileprivate init(_ step: SessionMachine.ConfirmationStep) {
        switch step {
        case .journal(let epoch): self = .journal(.signedIn(epoch, erasers: []))
        case .confirm(let requestID): self = .confirm(requestID)
        }
    }

    fileprivate init(_ step: SessionMachine.SignOutStep) {
        switch step {
        case .journal(let commit): self = .journal(.signingOut(commit))
        case .destroyKey: self = .destroyKey
        case .endSessionProcess: self = .endSessionProcess
        case .startSessionProcess(let epoch): self = .startSessionProcess(epoch, resuming: false)
        case .closeBrowser(let epoch): self = .closeBrowser(epoch)
        case .clearFiles(let epoch): self = .clearFiles(epoch)
        case .awaitApps(let epoch): self = .awaitApps(epoch)
        }
    }

    fileprivate static func all(_ steps: [SessionMachine.CompletionStep]) -> [SessionAction] {
        steps.flatMap { step -> [SessionAction] in
            switch step {
            case .takeData(let apps, let ended): [.takeData(apps, ended)]
            case .lock(let erasers, let ended): [.lock(erasers, ended)]
            case .writeReceipt(let handover): [.writeReceipt(handover)]
            case .journal(let epoch): [.journal(.ready(epoch))]
            case .answer(let requesters): [.answer(requesters)]
            case .admit(let steps): steps.map(SessionAction.init)
            }
        }
    }
}
