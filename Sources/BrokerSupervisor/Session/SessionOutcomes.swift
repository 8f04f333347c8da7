// SPDX-License-Identifier: Apache-2.0
package import BrokerDevice
package import BrokerProtocol

/// What follows from each event. The supervisor carries out steps in their order; what a step journals is on disk before
/// the next one begins.
extension SessionMachine {
    /// What follows from the journal at the start.
    package enum RecoveryOutcome: Sendable, Equatable {
        case started([StartStep])
        /// The previous supervisor committed a sign-out, or died during a session; the device is signing out.
        case signingOut([SignOutStep])
    }

    package enum StartStep: Sendable, Equatable {
        /// The device is ready in this epoch.
        case journal(Epoch)
        case startSessionProcess(Epoch, resuming: Bool)
    }

    package enum SignInRequestOutcome: Sendable, Equatable {
        case admitted([AdmissionStep])
        /// Until the sign-out that goes on is finished.
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

    /// Lets somebody begin to sign in.
    package enum AdmissionStep: Sendable, Equatable {
        /// Somebody signs in, in this epoch.
        case journal(Epoch)
        case makeKey
        case admit(SignInRequestID, Epoch)
    }

    /// Makes a sign-in the session.
    package enum ConfirmationStep: Sendable, Equatable {
        /// A worker is signed in, in this epoch.
        case journal(Epoch)
        case confirm(SignInRequestID)
    }

    package enum EndOutcome: Sendable, Equatable {
        /// Nobody is at the device; these are answered at once.
        case alreadyReady([Requester])
        /// The apps are told that this epoch is about to end, and have a while to save.
        case announced(Epoch)
        /// It is ending already.
        case waiting
        case committed([SignOutStep])
    }

    /// Commits the end of an epoch, and clears what is left of it.
    package enum SignOutStep: Sendable, Equatable {
        case journal(Commit)
        case destroyKey
        /// Kill the session process and wait until it is gone.
        case endSessionProcess
        /// Start the process of the next epoch.
        case startSessionProcess(Epoch)
        case closeBrowser(Epoch)
        case clearFiles(Epoch)
        /// Wait a while for the apps to erase what is of this epoch.
        case awaitApps(Epoch)
    }

    /// Makes the device ready.
    package enum CompletionStep: Sendable, Equatable {
        /// Lock these apps until they have erased what is of this epoch.
        case lockApps([String], Epoch)
        /// Once more after a crash that came before the journal said ready.
        case writeReceipt(Handover)
        /// The device is ready in this epoch.
        case journal(Epoch)
        case answer([Requester])
        /// Let the worker begin who waits.
        case admit([AdmissionStep])
    }

    package enum ProcessDeathOutcome: Sendable, Equatable {
        /// Start a process of nobody's epoch again; after a pause where they die in a row.
        case restart(Epoch)
        /// Start the process again with the session's key.
        case resume(Epoch)
        case committed([SignOutStep])
    }

    /// What the journal must say of the session that is live.
    package struct Enlistment: Sendable, Equatable {
        package let epoch: Epoch
        package let apps: Set<String>
    }

    package struct AppAnswerOutcome: Sendable, Equatable {
        /// The commit with the app's answer; it is journaled first.
        package let commit: Commit
        package let completion: [CompletionStep]
    }
}
