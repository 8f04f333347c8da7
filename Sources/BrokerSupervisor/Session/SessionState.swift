// SPDX-License-Identifier: Apache-2.0
package import BrokerProtocol
package import DeviceSettings

extension SessionMachine {
    /// Who holds the device.
    package enum State: Sendable, Equatable {
        /// Nobody holds the device; the next worker may begin.
        case ready
        /// A worker, or an administrator who joins the device, is signing in.
        case signingIn(ActiveSession, SignInRequestID)
        /// A worker holds the device.
        case signedIn(ActiveSession)
        /// The worker's apps were notified of the end and may save; nothing is committed yet.
        case ending(ActiveSession, Ending)
        /// The end is committed; traces are being cleared.
        case signingOut(PendingSignOut)
    }

    /// The session of a worker, or a sign-in that has begun.
    package struct ActiveSession: Sendable, Equatable {
        /// The epoch that the person's credentials are bound to.
        package let epoch: Epoch
        /// Whether a browser may hold data of the person.
        package var usedBrowser: Bool
        /// How often the session process was restarted.
        package var restarts = 0

        /// If the process dies more often than this, the session ends.
        package static let maximumRestarts = 3

        /// The erasers of the apps that registered to erase a worker's data themselves.
        package var erasers: Set<AppEraser> = []
        /// The apps that keep data in folders of their own and have been given data of the worker.
        package var dataHolders: Set<String> = []
        /// Whether an app asked to be notified before the end.
        package var hasListeners = false

        /// The maximum number of apps with erasers, and of apps with folders of data, in one session; the journal names
        /// each. No app takes room from another: how many erasers an app may have does not depend on the other apps.
        package static let maximumApps = 256

        package init(
            epoch: Epoch, usedBrowser: Bool, erasers: Set<AppEraser> = [], dataHolders: Set<String> = []
        ) {
            self.epoch = epoch
            self.usedBrowser = usedBrowser
            self.erasers = erasers
            self.dataHolders = dataHolders
        }
    }

    /// An announced end of the session.
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

    /// Someone who asked for the session's end and waits until the device is ready.
    package struct Requester: Sendable, Hashable {
        package let number: UInt64

        package init(number: UInt64) { self.number = number }
    }

    /// The traces of an ended epoch that must be gone before the device is ready.
    package enum Item: String, Sendable, Hashable, CaseIterable {
        case browser, files
    }

    /// A committed sign-out that is not finished.
    package struct PendingSignOut: Sendable, Equatable {
        package var commit: Commit
        /// Whether the apps' time to erase is over.
        package var isOverdue = false
        /// The erasers whose processes have all ended.
        package var gone: Set<AppEraser> = []
        /// Whether a browser of the ended epoch had to be cleared.
        package let usedBrowser: Bool
        package var items: Set<Item>
        package var requesters: [Requester]
        /// The sign-in request of the next worker, if one waits.
        package var waiting: SignInRequestID?
        /// The data that is taken from apps that have not erased it; nil until the agent is told to take it.
        package var taking: DataTaking?

        package var ended: Epoch { commit.ended }
        /// The apps whose data the agent is taking away.
        package var toTake: [String] { taking.map { $0.taken == nil ? $0.apps.sorted() : [] } ?? [] }

        /// The apps whose answers are still awaited.
        package var awaited: [String] {
            isOverdue ? [] : Set(awaitedErasers.map(\.bundleID)).sorted()
        }

        /// The erasers that have not answered and whose processes have not all ended.
        var awaitedErasers: [AppEraser] {
            commit.erasers.filter { $0.value == .awaited && !gone.contains($0.key) }.map(\.key)
        }
    }

    /// The data of apps that the agent was told to take away.
    package struct DataTaking: Sendable, Equatable {
        package let apps: Set<String>
        /// The apps that an earlier session keeps locked.
        package let owing: Set<String>
        /// The apps with folders that still had a process that had not erased the data. Later answers of the app's
        /// other processes do not cover that process.
        package let unended: Set<String>
        /// The apps whose data was taken away; nil until the agent has answered or the agent's time is over.
        package var taken: Set<String>?
        /// The apps whose data the agent could not take away.
        package var failed: Set<String> = []
        /// The apps that have no eraser and for which a folder was missing: it is unknown whether they have kept data.
        package var absent: Set<String> = []
    }
}

extension SessionMachine.State {
    /// The current session or sign-in; nil if there is none.
    package var session: SessionMachine.ActiveSession? {
        switch self {
        case .signingIn(let session, _), .signedIn(let session), .ending(let session, _): session
        case .ready, .signingOut: nil
        }
    }

    /// Whether this epoch has a signed-in worker and the end of their session has not been announced.
    package func isSignedIn(in epoch: Epoch) -> Bool {
        guard case .signedIn(let session) = self else { return false }
        return session.epoch == epoch
    }

    /// The epoch of the worker who holds the device; nil if nobody does.
    package var heldEpoch: Epoch? {
        switch self {
        case .signedIn(let session), .ending(let session, _): session.epoch
        case .ready, .signingIn, .signingOut: nil
        }
    }

    /// The committed sign-out that is not finished; nil if there is none.
    package var pending: SessionMachine.PendingSignOut? {
        guard case .signingOut(let pending) = self else { return nil }
        return pending
    }
}

extension SessionMachine.State {
    /// The state in the terms that management needs.
    var stage: SessionStage {
        switch self {
        case .ready: .free
        case .signingIn, .signingOut: .changing
        case .signedIn, .ending: .held
        }
    }
}
