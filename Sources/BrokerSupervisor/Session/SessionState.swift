// SPDX-License-Identifier: Apache-2.0
package import BrokerDevice
package import BrokerProtocol

extension SessionMachine {
    /// Who holds the device.
    package enum State: Sendable, Equatable {
        /// Nobody; the next worker may begin.
        case ready
        /// Somebody is proving who they are: a worker who signs in, or an administrator who joins the device.
        case signingIn(ActiveSession, SignInRequestID)
        /// A worker holds the device.
        case signedIn(ActiveSession)
        /// The worker's apps have been told of the end and may save; nothing is committed yet.
        case ending(ActiveSession, Ending)
        /// The end is committed; traces are being cleared.
        case signingOut(PendingSignOut)
    }

    /// The time of one person at the device.
    package struct ActiveSession: Sendable, Equatable {
        /// The epoch that the person's credentials are bound to.
        package let epoch: Epoch
        /// Whether a browser may hold something of the person.
        package var usedBrowser: Bool
        /// How often the session process had to be started again.
        package var restarts = 0

        /// A process that dies more often than this is broken, and the session with it.
        package static let maximumRestarts = 3

        /// The apps that said that they erase a worker's data themselves.
        package var apps: Set<String> = []
        /// Whether an app asked to be told before the end.
        package var hasListeners = false

        /// Apps of one session that may register an eraser; each is a line of the journal.
        package static let maximumApps = 256

        package init(epoch: Epoch, usedBrowser: Bool, apps: Set<String> = []) {
            self.epoch = epoch
            self.usedBrowser = usedBrowser
            self.apps = apps
        }
    }

    /// An end that was announced.
    package struct Ending: Sendable, Equatable {
        package let trigger: SignOutTrigger
        package var requesters: [Requester]
    }

    /// A request to begin a sign-in.
    package struct SignInRequestID: Sendable, Hashable {
        package enum Purpose: String, Sendable, Codable {
            case worker, administrator
        }

        package let number: UInt64
        package let purpose: Purpose

        package init(number: UInt64, purpose: Purpose) {
            self.number = number
            self.purpose = purpose
        }
    }

    /// Somebody who asked for the end and waits until the device is ready.
    package struct Requester: Sendable, Hashable {
        package let number: UInt64

        package init(number: UInt64) { self.number = number }
    }

    /// What of an ended epoch must be gone before the device is ready.
    package enum Item: String, Sendable, Hashable, CaseIterable {
        case browser, files
    }

    /// A committed sign-out that is not finished.
    package struct PendingSignOut: Sendable, Equatable {
        package var commit: Commit
        /// Whether the apps have had their time.
        package var isOverdue = false
        /// Whether a browser of the ended epoch had to be cleared.
        package let usedBrowser: Bool
        package var items: Set<Item>
        package var requesters: [Requester]
        /// The next worker, who has already asked to begin.
        package var waiting: SignInRequestID?

        package var ended: Epoch { commit.ended }
        /// The apps that still have time to erase.
        package var awaited: [String] {
            isOverdue ? [] : commit.apps.filter { $0.value == .awaited }.keys.sorted()
        }
    }

    /// What happens to the device: each case is a method of the machine.
    package enum Event: Sendable, Equatable {
        case signInRequested(SignInRequestID)
        /// A sign-in that waits for the end of a sign-out has waited long enough.
        case signInTimedOut(SignInRequestID, SignInRefusal)
        case browserWanted(url: String)
        case signInSucceeded
        case signInFailed
        case endWanted(Requester, SignOutTrigger)
        /// An app of this epoch asked to be told before the end.
        case listenerArrived(Epoch)
        /// An app of this epoch says that it erases a worker's data itself.
        case appEnlisted(String, Epoch)
        /// Every app that was told of the end has saved, or the time for it is over.
        case graceExpired(Epoch)
        /// What an app says of its eraser for the epoch that ended.
        case appAnswered(String, hasErased: Bool, Epoch)
        /// The apps have had their time to erase what is of the epoch that ended.
        case appsOverdue(Epoch)
        case itemCleared(Item, Epoch)
        case sessionProcessDied
        case agentArrived
    }
}

extension SessionMachine.State {
    /// The person who is at the device.
    package var session: SessionMachine.ActiveSession? {
        switch self {
        case .signingIn(let session, _), .signedIn(let session), .ending(let session, _): session
        case .ready, .signingOut: nil
        }
    }

    /// The epoch of the worker who holds the device.
    package var heldEpoch: Epoch? {
        switch self {
        case .signedIn(let session), .ending(let session, _): session.epoch
        case .ready, .signingIn, .signingOut: nil
        }
    }

    /// The sign-out that is committed and not finished.
    package var pending: SessionMachine.PendingSignOut? {
        guard case .signingOut(let pending) = self else { return nil }
        return pending
    }
}

extension SessionMachine.State {
    /// What management needs to know of it.
    var stage: SessionStage {
        switch self {
        case .ready: .free
        case .signingIn, .signingOut: .changing
        case .signedIn, .ending: .held
        }
    }
}
