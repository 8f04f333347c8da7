// SPDX-License-Identifier: Apache-2.0
internal import BrokerIPC
internal import BrowserExtension
internal import BrowserPolicies
internal import BrowserWindows
internal import Files
internal import Glibc
internal import Logging
internal import Processes
internal import UnixSocket

/// Manages the processes that show windows: starts them, ends them, and determines what their ends mean.
///
/// It belongs to the agent's thread. Its own threads only wait, and post events to the agent.
final class OpenWindows {
    let configuration: AgentConfiguration
    let events: Mailbox<BrowserAgent.Event>
    let logger: Logger
    /// The processes of the sign-in windows, or of browsers that the agent does not configure, by their numbers.
    var windows: [Int: ChildProcess] = [:]
    /// bubblewrap's messages about each of these windows, by the same numbers.
    var words: [Int: BubblewrapWords] = [:]
    /// The processes that wait until they are confined, by process id.
    var held: [Int32: HeldWindow] = [:]
    /// The folders of the sign-in windows.
    var folders: [Int: WindowFolder] = [:]
    /// Sign-in windows that should have ended and may still run. Until they have ended, the worker's browser opens no
    /// page.
    var unended: [Int: ChildProcess] = [:]
    /// The sandbox of the worker's browser; nil if the worker has opened no page.
    var worker: WorkersBrowser?
    let policies: PolicyChecks
    let firefox: FirefoxProfile
    /// The worker's pages that wait for the browser's extension.
    var waitingPages = WaitingPages()
    /// The packed extension, or the failure to pack it; nil if the agent does not configure the browser.
    private(set) var package: Result<BrowserExtensionPackage, AgentFailure>?
    /// The socket on which the extension's host reports that the extension is ready.
    private(set) var readySocket: NoticeSocket?
    /// What the agent has found in the comparisons of its files since the last epoch ended.
    var comparison = ComparedFiles()
    /// The number of windows, pages and waits so far.
    private var count = 0

    /// The folder of a sign-in window.
    struct WindowFolder {
        let folder: Directory
        /// The window's policies, as they were written.
        var policies = KnownFiles()
    }

    /// A process that waits until it is confined, and then opens a window.
    struct HeldWindow {
        let held: HeldProcess
        /// The number of the window, or of the page that the worker's browser shows first.
        let number: Int
        /// Whether the process becomes the sandbox of the worker's browser.
        let isWorkers: Bool
    }

    /// An order to open a page.
    struct Order {
        let id: UInt64
        let profile: BrowserProfile
        let configuration: BrowserConfiguration
        /// The origin of the identity platform's pages; nil if the broker has not named it.
        let signIn: WebOrigin?
        /// Whether the broker confines the process before the page opens.
        let isHeld: Bool
    }

    /// - Parameters:
    ///   - policies: what the agent's former start has found out about the installed browsers.
    ///   - firefox: the Firefox profile that was made in the agent's former start.
    init(
        configuration: AgentConfiguration, policies: [ExaminedPolicies], firefox: FirefoxProfile.Made?,
        events: Mailbox<BrowserAgent.Event>, logger: Logger
    ) {
        (self.configuration, self.events, self.logger) = (configuration, events, logger)
        self.policies = PolicyChecks(of: configuration.managed, known: policies, events: events, logger: logger)
        self.firefox = FirefoxProfile(of: configuration.managed, made: firefox, events: events, logger: logger)
    }

    /// The children of the agent that ``ChildProcess`` reaps.
    var children: [ChildProcess] {
        Array(windows.values) + Array(unended.values) + held.values.map(\.held.process)
            + [worker?.process, firefox.child].compactMap(\.self)
            + policies.children
    }

    /// Returns a number that no other window, page or wait has.
    func next() -> Int {
        count += 1
        return count
    }

    /// Returns why windows cannot open; nil if no reason is known. Blocks until it is known whether windows can be
    /// confined.
    func obstacle() -> WindowObstacle? {
        guard configuration.managed != nil else { return nil }
        do throws(ConfinementFailure) { try Confinement.check() } catch {
            logger.error("no window can open", metadata: ["error": "\(error)"])
            return .notConfined
        }
        return policies.obstacle
    }

    // MARK: - The extension

    /// Packs the browser's extension, if the agent configures the browser.
    ///
    /// - Parameter former: the package of the agent's former start, and its socket.
    func packExtension(in profiles: Directory, _ former: (package: BrowserExtensionPackage, ready: Descriptor)?) {
        guard let managed = configuration.managed else { return }
        let package = Result { () throws(AgentFailure) in
            if let former { return former.package }
            return try managed.makeExtension(in: profiles.appending("extension"))
        }
        if case .failure(let failure) = package {
            logger.error("the browser's extension cannot be packed", metadata: ["error": "\(failure)"])
        }
        self.package = package
        awaitExtensions(former?.ready)
    }

    /// Lets Firefox make the profile with which each session begins: see ``FirefoxProfile/make(in:with:)``.
    func prepareFirefox(in profiles: Directory) {
        firefox.clear(profiles)
        guard let package = try? package?.get() else { return }
        firefox.make(in: profiles, with: package)
    }

    /// Reports each message that arrives on the package's socket, until the agent ends.
    ///
    /// - Parameter former: the socket of the agent's former start.
    private func awaitExtensions(_ former: Descriptor?) {
        guard let path = try? package?.get().readySocket else { return }
        do {
            let socket = if let former { NoticeSocket(former, at: path) } else { try NoticeSocket(path: path) }
            readySocket = socket
            try BlockingThread.start { [events, logger] in Self.readReports(from: socket, logger) { events.post($0) } }
        } catch {
            logger.error("the browser's extension cannot report that it is ready", metadata: ["error": "\(error)"])
        }
    }

    /// Reads reports until the socket fails; blocks.
    private static func readReports(
        from socket: NoticeSocket, _ logger: Logger, tell: (BrowserAgent.Event) -> Void
    ) {
        while true {
            do throws(SocketError) {
                let notice = try socket.notice(or: nil, seconds: 3600)
                if let number = notice.flatMap({ Int($0.text) }) { tell(.extensionReady(browser: number)) }
            } catch {
                if error.errno == ETIMEDOUT { continue }
                return logger.error(
                    "the browser's extension cannot report that it is ready", metadata: ["error": "\(error)"])
            }
        }
    }

    // MARK: - Opening

    /// Opens a page of the broker: in a window of its own, or in a program that the agent neither confines nor
    /// configures.
    func openSignIn(_ url: LoopbackURL, leadingTo pages: [PlatformPage], _ order: Order) throws -> BrowserMachine.Event
    {
        let number = next()
        guard let managed = configuration.managed else { return try openUnmanaged(url, as: number, order) }
        try policies.check(managed.policyPlaces.signIn)
        let folder = try windowFolder(BrowserProfile.signInWindow + String(number), of: order.profile)
        folders[number] = WindowFolder(folder: folder)
        compareFiles()
        let page = try StartPage(.leads(to: url.text), number: number, in: folder)
        let prepared = try managed.signInWindow(window(folder, order), url, leadingTo: pages, page: page)
        folders[number]?.policies = prepared.policies
        try refuse(ifChanged: prepared.policies)
        return try open(prepared.words, in: environment(of: order.profile, number: number), as: number, order)
    }

    private func openUnmanaged(_ url: LoopbackURL, as number: Int, _ order: Order) throws -> BrowserMachine.Event {
        let profile = order.profile
        let temporary = try made { () throws(FileError) in try profile.make() }
        let page = try StartPage(.leads(to: url.text), number: number, in: profile.folder)
        let command = configuration.command
        let words = [command.program] + command.arguments(profile: profile.browser.path, page: page)
        let environment = BrowserEnvironment.make(
            for: profile, temporary, number: number, from: BrowserEnvironment.session)
        return try open(words, in: environment, as: number, order)
    }

    private func open(
        _ words: [String], in environment: [String: String], as number: Int, _ order: Order
    ) throws -> BrowserMachine.Event {
        let said = configuration.managed == nil ? nil : try BubblewrapWords()
        self.words[number] = said
        guard !order.isHeld else {
            let waiting = try HeldProcess.start(
                words, environment: environment, files: [said?.descriptor].compactMap(\.self))
            try watch(waiting.process, as: number)
            return hold(HeldWindow(held: waiting, number: number, isWorkers: false), order)
        }
        let window = try ChildProcess.spawn(
            executable: words[0], arguments: Array(words.dropFirst()), environment: environment,
            descriptors: [said?.descriptor].compactMap(\.self), output: .discarded)
        try watch(window, as: number)
        return started(number, by: window, order.id)
    }

    func hold(_ window: HeldWindow, _ order: Order) -> BrowserMachine.Event {
        let process = window.held.process.pid
        held[process] = window
        Failpoint.browserHeld.reach()
        return .held(id: order.id, process: process)
    }

    func started(_ number: Int, by process: ChildProcess, _ id: UInt64) -> BrowserMachine.Event {
        Failpoint.browserStarted.reach()
        logger.info("browser started", metadata: ["browser.pid": "\(process.pid)"])
        return .started(id: id, browser: number)
    }

    /// Lets a process that is now confined open its window.
    ///
    /// - Throws: ``AgentFailure`` or ``FileError`` if the process has ended.
    func release(_ process: Int32, for id: UInt64) throws -> BrowserMachine.Event {
        guard let window = held.removeValue(forKey: process) else {
            throw AgentFailure(.browserUnavailable, "The process that was to become the browser ended.")
        }
        if window.isWorkers { try worker?.release() } else { try window.held.release() }
        return started(window.number, by: window.held.process, id)
    }

    // MARK: - Folders and variables

    /// Makes the folder of one window, with its policies and start pages.
    func windowFolder(_ name: String, of profile: BrowserProfile) throws(AgentFailure) -> Directory {
        try made { () throws(FileError) in try profile.makeWindow(name) }
    }

    private func made(_ make: () throws(FileError) -> Directory) throws(AgentFailure) -> Directory {
        do throws(FileError) { return try make() } catch {
            logger.error("no browser profile", metadata: ["error": "\(error)"])
            throw AgentFailure(.profileUnavailable, "The folder browser.profiles cannot be used.")
        }
    }

    func window(_ folder: Directory, _ order: Order) -> ManagedBrowser.Window {
        ManagedBrowser.Window(
            folder: folder, configuration: order.configuration, signIn: order.signIn,
            session: BrowserEnvironment.session)
    }

    /// Returns the environment of a confined browser. The broker finds the browser's processes by two of the variables.
    func environment(of profile: BrowserProfile, number: Int? = nil) -> [String: String] {
        var environment = WindowEnvironment.make(from: BrowserEnvironment.session)
        environment[BrowserProfile.markName] = profile.folder.path
        environment[BrowserProfile.numberName] = number.map(String.init)
        return environment
    }
}
