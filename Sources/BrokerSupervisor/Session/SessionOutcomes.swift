// SPDX-License-Identifier: Apache-2.0
package import BrokerProtocol
package import SessionIPC

/// The outcome of each event. The supervisor carries out the steps in order. The record of a `journal` step is on disk
/// before the next step begins.
extension SessionMachine {
    /// The outcome of reading the journal at the start.
    package enum RecoveryOutcome: Sendable, Equatable {
        case started([StartStep])
        /// The previous supervisor committed a sign-out, or died during a session; the device is signing out.
        case signingOut([SignOutStep])
    }

    package enum StartStep: Sendable, Equatable {
        /// Record that the device is ready in this epoch.
        case journal(Epoch)
        case startSessionProcess(Epoch, resuming: Bool)
    }

    package enum SignInRequestOutcome: Sendable, Equatable {
        case admitted([AdmissionStep])
        /// The request waits until the current sign-out is finished.
        case waiting
        case refused(RefusedSignIn)
    }

    package struct RefusedSignIn: Sendable, Equatable {
        package let requestID: SignInRequestID
        package let refusal: SignInRefusal

        package init(requestID: SignInRequestID, refusal: SignInRefusal) {
            self.requestID = requestID
            self.refusal = refusal
        }
    }

    /// The steps that let a sign-in begin.
    package enum AdmissionStep: Sendable, Equatable {
        /// Record that a sign-in has begun in this epoch.
        case journal(Epoch)
        case makeKey
        case admit(SignInRequestID, Epoch)
    }

    /// The steps that turn a sign-in into the session.
    package enum ConfirmationStep: Sendable, Equatable {
        /// Record that a worker is signed in, in this epoch.
        case journal(Epoch)
        case confirm(SignInRequestID)
    }

    package enum EndOutcome: Sendable, Equatable {
        /// Nobody is signed in or signing in; these requesters are answered at once.
        case alreadyReady([Requester])
        /// The apps are notified that this epoch is about to end, and may save during the grace period.
        case announced(Epoch)
        /// The device is already ending or signing out.
        case waiting
        case committed([SignOutStep])
    }

    /// The steps that commit the end of an epoch and clear its traces.
    package enum SignOutStep: Sendable, Equatable {
        case journal(Commit)
        case destroyKey
        /// Kill the session process and wait until it has ended.
        case endSessionProcess
        /// Start the process of the next epoch.
        case startSessionProcess(Epoch)
        case closeBrowser(Epoch)
        case clearFiles(Epoch)
        /// Give the apps time to erase their data of this epoch.
        case awaitApps(Epoch)
    }

    /// The steps that make the device ready.
    package enum CompletionStep: Sendable, Equatable {
        /// Have the agent take away the data of these apps, which have not erased it.
        case takeData([String], Epoch)
        /// Lock the apps of these erasers until each has erased its data of this epoch.
        case lock([AppEraser], Epoch)
        /// Write the receipt. This step is repeated if a crash occurs before the journal records that the device is
        /// ready.
        case writeReceipt(HandoverOutcome)
        /// Record that the device is ready in this epoch.
        case journal(Epoch)
        case answer([Requester])
        /// Let the waiting worker begin.
        case admit([AdmissionStep])
    }

    package enum ProcessDeathOutcome: Sendable, Equatable {
        /// Start a new process for this epoch, which has no session. If such processes keep dying, pause before the
        /// start.
        case restart(Epoch)
        /// Start the process again with the session's key.
        case resume(Epoch)
        case committed([SignOutStep])
    }

    /// The record of the live session that must be in the journal.
    package struct Enlistment: Sendable, Equatable {
        package let epoch: Epoch
        package let erasers: Set<AppEraser>
        package let dataHolders: Set<String>

        init(_ session: ActiveSession) {
            (epoch, erasers, dataHolders) = (session.epoch, session.erasers, session.dataHolders)
        }

        package var record: JournalRecord { .signedIn(epoch, erasers: erasers, dataHolders: dataHolders) }
    }

    package struct EraserAnswerOutcome: Sendable, Equatable {
        /// The commit with the eraser's answer; it is journaled before the other steps.
        package let commit: Commit
        package let completion: [CompletionStep]
    }
}
