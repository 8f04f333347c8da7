// SPDX-License-Identifier: Apache-2.0
package import BrokerIPC
package import BrokerProtocol
package import BrowserPolicies

/// Decides what the agent does. At most one epoch has a browser at any time, and no browser outlives its epoch.
package struct BrowserMachine: Sendable, Equatable {
    /// The state of the browser.
    package enum State: Sendable, Equatable {
        /// There is no process and no profile.
        case idle
        /// The epoch has a profile and these browsers.
        case open(epoch: Epoch.ID, browsers: Browsers)
        /// Processes are being ended, and the profile is being removed.
        case clearing(epoch: Epoch.ID, cause: Cause)
        /// Clearing failed; something may be left.
        case unclean(epoch: Epoch.ID)
    }

    /// The running browser processes of an epoch, by the numbers that the agent gave them.
    package struct Browsers: Sendable, Equatable {
        /// Those that show a page of the broker.
        package var signIn: Set<Int> = []
        /// Those that show the worker's pages.
        package var worker: Set<Int> = []

        package init(signIn: Set<Int> = [], worker: Set<Int> = []) { (self.signIn, self.worker) = (signIn, worker) }
    }

    /// Why a browser is cleared.
    package enum Cause: Sendable, Equatable {
        case ordered, connectionLost, terminated
    }

    /// A page to open.
    package enum Page: Sendable, Equatable {
        /// A page of the broker, and the platform's pages to which it leads.
        case signIn(LoopbackURL, [PlatformPage] = [])
        /// A page for the worker; nil for an empty page, if the home page was ordered and the configuration names no
        /// home page.
        case worker(WebAddress?)
    }

    /// An event for this state machine.
    package enum Event: Sendable, Equatable {
        case connected
        case connectionLost
        case order(AgentOrder)
        /// The data that apps kept in this epoch was taken away, except for the apps with a failure. The order came
        /// over the connection with this number.
        case dataCleared(epoch: Epoch.ID, [AppDataFailure], connection: Int)
        /// A process waits. Once the broker has confined the process, it becomes the browser for the order `id`.
        case held(id: UInt64, process: Int32)
        /// The browser for the order `id` was started, or its page was passed to a sandbox that was already running.
        case started(id: UInt64, browser: Int, isPassedOn: Bool = false)
        case startFailed(id: UInt64, AgentFailure)
        /// The process exited with 0.
        case browserEnded(Int)
        /// The browser ended with an error status.
        case browserBroke(Int)
        /// A signal ended the browser.
        case browserKilled(Int)
        /// The process that waited to become the browser for the order `id` ended.
        case heldEnded(process: Int32)
        /// The extension of this browser is ready: from now on, the worker is signed in on the pages that open.
        case extensionServes(browser: Int)
        /// No browser's extension was ready in time.
        case extensionSilent
        /// The agent has ended the processes that the browsers left running.
        case stragglersEnded
        case cleared(epoch: Epoch.ID)
        case notCleared(epoch: Epoch.ID, AgentFailure)
        /// The agent was asked to stop.
        case terminated
    }

    /// An action that the agent carries out. A list of actions is carried out in its order.
    package enum Action: Sendable, Equatable {
        case report(AgentMessage)
        /// Start the browser; answered by `started`, `held` or `startFailed`.
        case start(id: UInt64, epoch: Epoch.ID, page: Page)
        /// Turn the waiting process into the browser for the order `id`; answered by `started` or `startFailed`.
        case release(id: UInt64, process: Int32)
        /// End the waiting process.
        case drop(process: Int32)
        /// End the windows of these browsers, and wait until none of their processes runs.
        case endWindows(Set<Int>)
        /// Look at what the browsers hold open, and report it.
        case examine(epoch: Epoch.ID, BrowserExamination.Moment)
        /// End the processes that the browsers left running and keep the profile; answered by `stragglersEnded` or
        /// `notCleared`.
        case endStragglers(epoch: Epoch.ID)
        /// End every process and remove the profile; answered by `cleared` or `notCleared`.
        case clear(epoch: Epoch.ID)
        /// Take the data of apps away until this time, counted from the machine's start, and report the outcome.
        case clearData(epoch: Epoch.ID, [AppData], until: Duration, connection: Int)
        /// Stop the agent, with an error if something is left.
        case finish(AgentFailure?)
    }

    private struct Storage: Equatable {
        let epoch: Epoch.ID
        let path: String
    }

    package private(set) var state: State
    /// The configuration of the next browser.
    package private(set) var configuration = BrowserConfiguration.standard
    /// The origin of the identity platform's pages; nil if the broker has not named it.
    package private(set) var signIn: WebOrigin?
    /// The storage folder that the broker has named for an epoch's browser; nil if the broker does not confine the
    /// browser.
    private var storage: Storage?
    /// The waiting processes, each with the id of its order.
    private var held: [Int32: UInt64] = [:]
    /// The worker's pages that the browser does not show yet.
    private var pages = OpeningPages()
    /// The number of connections that were lost.
    private var connection = 0
    /// Whether a sign-in window of this epoch has failed since the last order to open a page.
    private var hasBroken = false

    package init(state: State = .idle) { self.state = state }

    /// The orders that pass this state machine's knowledge on to a new one, except for knowledge about sessions.
    package var ordersToRepeat: [AgentOrder] {
        [.configure(configuration)] + (signIn.map { [.signIn($0)] } ?? [])
            + (storage.map { [.confine(epoch: $0.epoch, storage: $0.path)] } ?? [])
    }

    /// Returns the storage folder that the broker has named for the browser of this epoch; nil if the broker does not
    /// confine the browser.
    package func storage(of epoch: Epoch.ID) -> String? { storage?.epoch == epoch ? storage?.path : nil }

    /// Handles one event.
    package mutating func handle(_ event: Event) -> [Action] {
        switch event {
        case .connected: return connected()
        case .connectionLost:
            connection += 1
            return leave(.connectionLost)
        case .terminated: return leave(.terminated)
        case .order(.open(let id, let epoch, let url, let pages)): return open(id, epoch: epoch, url: url, pages: pages)
        case .order(.browse(let id, let epoch, let address)): return browse(id, epoch: epoch, address: address)
        case .order(.signIn(let origin)):
            signIn = origin
            return []
        case .order(.endSignIn(let epoch)): return endSignIn(epoch)
        case .order(.examine(let epoch)): return [.examine(epoch: epoch, .ending)]
        case .order(.close(let epoch)): return close(epoch)
        case .order(.configure(let configuration)):
            self.configuration = configuration
            return []
        case .order(.confine(let epoch, let path)):
            storage = Storage(epoch: epoch, path: path)
            return []
        case .order(.clearData(let epoch, let apps, let deadline)):
            return [.clearData(epoch: epoch, apps, until: .milliseconds(deadline), connection: connection)]
        case .dataCleared(let epoch, let failures, connection):
            return [.report(.dataCleared(epoch: epoch, failures: failures))]
        // The order came over a connection that was lost. On the new connection the broker repeats the order, perhaps
        // with more processes, and this outcome does not answer the repeated order.
        case .dataCleared: return []
        case .order(.proceed(let process, let isConfined)): return proceed(process, isConfined: isConfined)
        case .held(let id, let process): return hold(process, for: id)
        case .started(let id, let browser, let isPassedOn): return started(id, browser, isPassedOn: isPassedOn)
        case .startFailed(let id, let failure): return [refuse(id, failure)]
        case .browserEnded(let browser): return ended(browser, isDone: true)
        case .browserBroke(let browser):
            if case .open(_, let browsers) = state, browsers.signIn.contains(browser) { hasBroken = true }
            return ended(browser, isDone: false)
        case .browserKilled(let browser): return ended(browser, isDone: false)
        case .heldEnded(let process):
            guard let id = held.removeValue(forKey: process) else { return [] }
            return [refuse(id, AgentFailure(.browserUnavailable, "The process that was to become the browser ended."))]
        case .extensionServes(let browser):
            guard case .open(let epoch, let browsers) = state, browsers.worker.contains(browser) else { return [] }
            return pages.serves(browser).map { .report($0) } + [.examine(epoch: epoch, .started)]
        case .extensionSilent: return pages.silent().map { .report($0) }
        case .stragglersEnded:
            guard case .open(let epoch, let browsers) = state, browsers.signIn.isEmpty else { return [] }
            return [.report(hasBroken ? .browserBroke(epoch: epoch) : .browserExited(epoch: epoch))]
        case .cleared(let epoch): return cleared(epoch)
        case .notCleared(let epoch, let failure): return notCleared(epoch, failure)
        }
    }

    private mutating func connected() -> [Action] {
        // The agent must not send its hello while something of an earlier epoch is left.
        guard state == .idle else {
            return [
                .finish(
                    AgentFailure(
                        .notCleared,
                        "The agent connected while a browser of an earlier epoch was still there."))
            ]
        }
        (configuration, signIn, storage, held) = (.standard, nil, nil, [:])
        return [.report(.hello(version: AgentMessage.version))]
    }

    /// Handles the loss of the connection or the end of the agent: the browser is cleared in both cases.
    private mutating func leave(_ cause: Cause) -> [Action] {
        switch state {
        case .idle: return cause == .terminated ? [.finish(nil)] : []
        case .open(let epoch, _), .unclean(let epoch):
            state = .clearing(epoch: epoch, cause: cause)
            return [.clear(epoch: epoch)]
        case .clearing(let epoch, let earlier):
            state = .clearing(epoch: epoch, cause: earlier == .terminated ? .terminated : cause)
            return []
        }
    }

    /// How many pages of the platform one sign-in may name.
    private static let maximumPages = 8

    private mutating func open(
        _ id: UInt64, epoch: Epoch.ID, url text: String, pages texts: [String]
    ) -> [Action] {
        guard let url = LoopbackURL(text) else {
            return [refuse(id, AgentFailure(.invalidURL, "Only pages of the broker on 127.0.0.1 are opened."))]
        }
        let pages = texts.prefix(Self.maximumPages).compactMap(PlatformPage.init)
        guard pages.count == texts.count else {
            return [refuse(id, AgentFailure(.invalidURL, "Only pages of one sign-in at the platform are opened."))]
        }
        return open(id, epoch: epoch, page: .signIn(url, pages))
    }

    private mutating func browse(_ id: UInt64, epoch: Epoch.ID, address: WebAddress?) -> [Action] {
        let page = address ?? configuration.homePage
        guard page.map(configuration.allows) ?? true else {
            return [refuse(id, AgentFailure(.addressBlocked, "The device's configuration blocks this address."))]
        }
        return open(id, epoch: epoch, page: .worker(page))
    }

    private mutating func open(_ id: UInt64, epoch: Epoch.ID, page: Page) -> [Action] {
        switch state {
        case .idle: (state, pages) = (.open(epoch: epoch, browsers: Browsers()), OpeningPages())
        case .open(epoch, _): break
        case .open: return [refuse(id, AgentFailure(.otherEpochOpen, "Close the browser of the earlier epoch first."))]
        case .clearing, .unclean:
            return [
                refuse(id, AgentFailure(.notCleared, "The earlier browser has not been cleared yet. Close it first."))
            ]
        }
        hasBroken = false
        return [.start(id: id, epoch: epoch, page: page)]
    }

    /// Ends the windows of a sign-in that is over. Their ends are not reported: the next sign-in may have begun.
    private mutating func endSignIn(_ epoch: Epoch.ID) -> [Action] {
        guard case .open(epoch, var browsers) = state else { return [] }
        let ended = browsers.signIn
        browsers.signIn = []
        state = .open(epoch: epoch, browsers: browsers)
        let waiting = held.filter { !AgentOrder.isPage($0.value) }.map(\.key).sorted()
        for process in waiting { held[process] = nil }
        return waiting.map { .drop(process: $0) }
            + (ended.isEmpty ? [] : [.examine(epoch: epoch, .signInOver), .endWindows(ended)])
    }

    private mutating func close(_ epoch: Epoch.ID) -> [Action] {
        switch state {
        case .idle, .open(epoch, _), .unclean(epoch):
            state = .clearing(epoch: epoch, cause: .ordered)
            return [.examine(epoch: epoch, .ending), .clear(epoch: epoch)]
        case .clearing(epoch, _): return []
        case .open, .clearing, .unclean:
            return [closeFailed(epoch, AgentFailure(.otherEpochOpen, "The browser of another epoch is still there."))]
        }
    }

    private mutating func hold(_ process: Int32, for id: UInt64) -> [Action] {
        guard case .open(let epoch, _) = state else { return [.drop(process: process)] }
        held[process] = id
        return [.report(.starting(epoch: epoch, process: process))]
    }

    private mutating func proceed(_ process: Int32, isConfined: Bool) -> [Action] {
        guard let id = held.removeValue(forKey: process), case .open = state else { return [] }
        guard !isConfined else { return [.release(id: id, process: process)] }
        // The broker waits for an answer only if the order was for a worker's page.
        let refusal = refuse(id, AgentFailure(.browserUnavailable, "The browser could not be confined."))
        return [.drop(process: process)] + (AgentOrder.isPage(id) ? [refusal] : [])
    }

    private mutating func started(_ id: UInt64, _ browser: Int, isPassedOn: Bool) -> [Action] {
        guard case .open(let epoch, var browsers) = state else { return [] }
        if AgentOrder.isPage(id) {
            browsers.worker.insert(browser)
            pages.started(id, as: browser)
        } else {
            browsers.signIn.insert(browser)
        }
        state = .open(epoch: epoch, browsers: browsers)
        return [.report(isPassedOn ? .passed(id: id) : .opened(id: id))]
    }

    /// Handles the end of a browser. Only the end of the last sign-in window is reported: the person may have closed it
    /// instead of signing in.
    private mutating func ended(_ browser: Int, isDone: Bool) -> [Action] {
        guard case .open(let epoch, var browsers) = state else { return [] }
        if browsers.worker.remove(browser) != nil {
            state = .open(epoch: epoch, browsers: browsers)
            return pages.ended(browser, isDone: isDone, isLast: browsers.worker.isEmpty).map { .report($0) }
        }
        guard browsers.signIn.remove(browser) != nil else { return [] }
        state = .open(epoch: epoch, browsers: browsers)
        return browsers.signIn.isEmpty ? [.endStragglers(epoch: epoch)] : []
    }

    private mutating func cleared(_ epoch: Epoch.ID) -> [Action] {
        guard case .clearing(epoch, let cause) = state else { return [] }
        state = .idle
        switch cause {
        case .ordered: return [.report(.closed(epoch: epoch))]
        case .connectionLost: return []
        case .terminated: return [.finish(nil)]
        }
    }

    private mutating func notCleared(_ epoch: Epoch.ID, _ failure: AgentFailure) -> [Action] {
        switch state {
        case .clearing(epoch, .ordered):
            state = .unclean(epoch: epoch)
            return [closeFailed(epoch, failure)]
        case .clearing(epoch, _):
            // Without an order, nothing would start another attempt, so the agent ends. At its next start, the agent
            // tries again before it sends its hello.
            state = .unclean(epoch: epoch)
            return [.finish(failure)]
        case .open(epoch, _): return [.report(.browserExited(epoch: epoch))]
        case .idle, .open, .clearing, .unclean: return []
        }
    }

    private func refuse(_ id: UInt64, _ failure: AgentFailure) -> Action {
        .report(.failed(id: id, code: failure.code.rawValue, message: failure.message))
    }

    private func closeFailed(_ epoch: Epoch.ID, _ failure: AgentFailure) -> Action {
        .report(.closeFailed(epoch: epoch, code: failure.code.rawValue, message: failure.message))
    }
}
