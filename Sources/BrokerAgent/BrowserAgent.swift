// SPDX-License-Identifier: Apache-2.0
internal import BrokerIPC
internal import BrokerProtocol
internal import BrowserWindows
internal import CLinux
internal import Files
internal import Glibc
package import Logging
internal import Processes
internal import UnixSocket

/// The agent in the worker's graphical session. The agent opens the browser on an order from `batond`, and later ends
/// the browser and removes the browser's files.
///
/// One thread takes events and acts on them (``run()``). Other threads wait for orders, signals and browsers, and only
/// post events.
package final class BrowserAgent {
    let configuration: AgentConfiguration
    let logger: Logger
    let events = Mailbox<Event>()
    /// The real path of the folder of profiles, as used in the browsers' marks.
    private(set) var profiles = ""
    var machine = BrowserMachine()
    let windows: OpenWindows
    let trash: AppDataTrash
    var channel: BrokerLink.Channel?
    /// Whether the first message of this connection was sent.
    var hasSaidHello = false
    /// Whether the service manager was notified.
    var isReady = false
    let pauses: LinkPauses
    /// Whether this process may hold a worker's data, because an order has named a page.
    private(set) var hasReadPage = false
    /// Whether a worker's session is over and this process may still hold data of that session.
    var mustRenew = false
    /// Whether the link was asked for a pause, after which the agent starts anew.
    var isRenewing = false
    /// Whether the link reads nothing until the pause is over.
    var isPaused = false
    /// How many of the folders that were taken from apps could not be removed. The agent reports each change of this
    /// number to the broker.
    private(set) var foldersLeft: Int
    /// How many threads are taking the data of apps away at the moment.
    var takings = 0
    private let former: Former?
    /// The lock of the folder of profiles, once this process has it.
    private(set) var lock: Descriptor?

    /// The events that the threads post.
    enum Event: Sendable {
        case link(BrokerLink.Event)
        /// A process that shows a page, or waits to show one, ended. The status is nil if it is unknown.
        case windowEnded(Int, ExitStatus?)
        /// A process of the worker's browser ended.
        case pageEnded(Int, ExitStatus)
        /// The sandbox of the worker's browser ended.
        case workersBrowserEnded(process: Int32, ExitStatus?)
        /// The extension of the browser with this number is ready.
        case extensionReady(browser: Int)
        /// The data that apps kept in this epoch was taken away, except for the apps with a failure. The order came
        /// over the connection with this number.
        case dataTaken(epoch: Epoch.ID, [AppDataFailure], connection: Int)
        /// The folders that were taken from apps are removed, except for this number of them.
        case trashEmptied(left: Int)
        /// The search for the policies that a browser knows has ended.
        case policiesSearched(PolicyPlace)
        /// The process that was to make the Firefox profile ended. If there is no archive, it has failed.
        case firefoxStarted(by: Int32, archive: [UInt8]?)
        /// No extension was ready in time.
        case extensionOverdue(wait: Int)
        case signal(Int32)
    }

    /// Creates an agent for this configuration. Nothing happens before ``run()``.
    ///
    /// - Parameter files: the files of the process's former start; nil if it has not started anew.
    /// - Throws: ``SocketError`` if the process has no descriptor left.
    package init(configuration: AgentConfiguration, after files: Files?, logger: Logger) throws {
        self.configuration = configuration
        self.logger = logger
        pauses = try LinkPauses()
        former = Former.read(files, logger)
        let knowledge = former?.knowledge
        foldersLeft = knowledge?.foldersLeft ?? 0
        windows = OpenWindows(
            configuration: configuration, policies: knowledge?.policies ?? [], firefox: former?.firefox, events: events,
            logger: logger)
        trash = AppDataTrash(
            folder: Directory(path: configuration.trash), taken: knowledge?.taken ?? AppDataTrash.Taken(),
            logger: logger
        ) { [events] in events.post(.trashEmptied(left: $0)) }
    }

    /// The signals that the process must block before it starts its first thread.
    package static let signals = [SIGTERM, SIGINT, SIGCHLD, SIGUSR1, endOfSignals]
    /// The agent sends itself this signal to end the thread that waits for signals. Later signals stay pending.
    static let endOfSignals = SIGUSR2

    /// Serves until `SIGTERM` or `SIGINT`. When it returns, every browser has ended and its profile is removed. Blocks.
    ///
    /// - Throws: ``AgentFailure`` if something of a browser cannot be removed. At its next start, the agent tries again
    ///   before it sends its hello to `batond`.
    package func run() throws {
        try takeOver()
        try startSignals()
        if let former { resume(former) }
        let link = BrokerLink(socket: configuration.socket, pauses: pauses) { [events] in events.post(.link($0)) }
        try BlockingThread.start { [former] in link.run(former?.channel) }
        while true {
            if let end = try react(to: events.take()) {
                try windows.firefox.interrupt()
                return try end.get()
            }
            renewSoon()
        }
    }

    /// Makes this process the only agent of its folder of profiles, and removes what a crashed agent left.
    private func takeOver() throws {
        let adopted = clinux_adopt_orphans()
        guard adopted == 0 else { throw ProcessFailure(step: .watch, errno: -adopted) }
        let folder = Directory(path: configuration.profiles)
        try folder.make()
        profiles = try folder.realPath()
        lock = if let former { former.lock } else { try lockProfiles() }
        try ProcessSweep.endMarked(BrowserProfile.mark(profiles: profiles + "/"))
        let removed = try BrowserProfile.removeAll(in: Directory(path: profiles))
        if removed > 0 {
            logger.notice("browser profiles of an earlier agent removed", metadata: ["count": "\(removed)"])
        }
        windows.packExtension(in: Directory(path: profiles), former?.packed)
        windows.policies.begin()
        windows.prepareFirefox(in: Directory(path: profiles))
        trash.empty()
    }

    private func lockProfiles() throws -> Descriptor {
        do throws(FileError) { return try Directory(path: profiles).lock() } catch {
            guard error.operation == .lock else { throw error }
            throw AgentFailure(.alreadyRunning, "Another agent uses browser.profiles; stop it or name another folder.")
        }
    }

    /// Continues where the agent stopped before it started anew.
    private func resume(_ former: Former) {
        (channel, isReady, hasSaidHello) = (former.channel, true, true)
        for order in former.knowledge.orders { _ = perform(.order(order)) }
        Failpoint.agentRenewed.reach()
    }

    /// Starts the thread that waits for signals and posts them.
    func startSignals() throws {
        try BlockingThread.start { [events] in Self.awaitSignals { events.post(.signal($0)) } }
    }

    /// Waits for signals and passes them to `tell`, up to ``endOfSignals``; blocks.
    private static func awaitSignals(_ tell: (Int32) -> Void) {
        var set = sigset_t()
        unsafe sigemptyset(&set)
        for signal in signals { unsafe sigaddset(&set, signal) }
        var signal: Int32 = 0
        while true {
            guard unsafe sigwait(&set, &signal) == 0 else { continue }
            tell(signal)
            if signal == endOfSignals { return }
        }
    }

    /// Blocks ``signals`` in the calling thread and in all threads that it starts.
    package static func blockSignals() {
        var set = sigset_t()
        unsafe sigemptyset(&set)
        for signal in signals { unsafe sigaddset(&set, signal) }
        unsafe pthread_sigmask(SIG_BLOCK, &set, nil)
    }

    /// Ends an agent whose program an upgrade has replaced, so that the service manager starts the new one. The broker
    /// restarts after an upgrade, and an agent without a connection has no browser.
    private func endIfReplaced() -> Result<Void, AgentFailure>? {
        guard OwnProgram.isReplaced, machine.state == .idle else { return nil }
        logger.notice("the agent ends, so that the installed version starts")
        return .success(())
    }

    /// Handles one event; returns the agent's result if the agent must end.
    private func react(to event: Event) throws -> Result<Void, AgentFailure>? {
        switch event {
        case .link(.connected(let channel)):
            self.channel = channel
            return perform(.connected)
        // A browser that the agent does not configure stays open after a sign-in: it may show more than one page.
        case .link(.order(.endSignIn)) where configuration.managed == nil: return nil
        case .link(.order(let order)):
            if order.namesPage { hasReadPage = true }
            return perform(.order(order))
        case .link(.lost):
            logger.notice("connection to the broker lost")
            (channel, hasSaidHello) = (nil, false)
            return perform(.connectionLost) ?? endIfReplaced()
        case .link(.paused):
            isPaused = true
            // The agent starts anew when this signal arrives. Signals that were taken before it are handled first.
            _ = kill(getpid(), Self.endOfSignals)
            return nil
        case .signal(Self.endOfSignals):
            try renew()
            return nil
        case .windowEnded(let number, let status): return perform(windows.windowEnded(number, status))
        case .pageEnded(let number, let status): return perform(windows.pageEnded(number, status))
        case .workersBrowserEnded(let process, let status):
            return perform(windows.workersBrowserEnded(process, status))
        case .extensionReady(let browser): return perform(windows.extensionReady(browser))
        case .dataTaken(let epoch, let failures, let connection):
            takings -= 1
            return perform(.dataCleared(epoch: epoch, failures, connection: connection))
        case .trashEmptied(let left):
            guard left != foldersLeft else { return nil }
            foldersLeft = left
            if hasSaidHello { report(.dataLeft(folders: left)) }
            return nil
        case .policiesSearched(let place):
            windows.policies.searched(place)
            if windows.policies.obstacle != nil, let obstacle = windows.obstacle() { report(.cannotOpen(obstacle)) }
            return nil
        case .firefoxStarted(let process, let archive):
            windows.firefox.ended(process, archive: archive)
            return nil
        case .extensionOverdue(let wait): return perform(windows.extensionOverdue(wait))
        case .signal(SIGCHLD):
            try ProcessSweep.reapOrphans(children: windows.children)
            return nil
        case .signal(SIGUSR1):
            report(.activity)
            return nil
        case .signal: return perform(.terminated)
        }
    }
}
