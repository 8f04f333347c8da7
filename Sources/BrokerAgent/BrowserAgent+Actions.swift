// SPDX-License-Identifier: Apache-2.0
internal import BrokerIPC
internal import BrokerProtocol
internal import BrowserExtension
internal import BrowserPolicies
internal import Files
internal import Glibc
internal import Logging
internal import Processes
internal import UnixSocket

extension BrowserAgent {
    /// Passes the event to the machine and carries out its actions until none is left. Returns the agent's result if
    /// the agent must end.
    func perform(_ event: BrowserMachine.Event) -> Result<Void, AgentFailure>? {
        var waiting = machine.handle(event)[...]
        while let action = waiting.popFirst() {
            switch action {
            case .report(let message): report(message)
            case .start(let id, let epoch, let page): waiting += machine.handle(start(id, epoch: epoch, page: page))
            case .release(let id, let process): waiting += machine.handle(release(process, id: id))
            case .drop(let process): browsers[process]?.kill()
            case .endStragglers(let epoch): waiting += machine.handle(endStragglers(epoch))
            case .clear(let epoch): waiting += machine.handle(clear(epoch))
            case .finish(let failure): return failure.map { .failure($0) } ?? .success(())
            }
        }
        return nil
    }

    func report(_ message: AgentMessage) {
        guard let channel else { return }
        do {
            try channel.send(message)
            if case .hello = message { tellServiceManager() }
        } catch {
            // The link's thread notices the same end of the connection and posts an event, which closes the browser.
            logger.notice("the broker cannot be reached", metadata: ["error": "\(error)"])
            channel.connection.shutDown()
        }
    }

    /// Notifies the service manager, once, that the agent is ready. A failure is only logged.
    private func tellServiceManager() {
        guard !isReady else { return }
        isReady = true
        do { try ServiceNotification.ready() } catch {
            logger.error("the service manager cannot be notified", metadata: ["error": "\(error)"])
        }
    }

    private func start(_ id: UInt64, epoch: Epoch.ID, page: BrowserMachine.Page) -> BrowserMachine.Event {
        do {
            let profile = try profile(of: epoch)
            let temporary = try folders(of: profile)
            let wrapper = try wrapper(for: profile, temporary)
            count += 1
            let opening = try startPage(for: page, in: profile.folder)
            let command = configuration.command
            let words =
                wrapper + [command.program]
                + command.arguments(profile: profile.browser.path, page: opening, isWorkers: page.isWorkers)
            let environment = BrowserEnvironment.make(
                for: profile, temporary, number: count, from: BrowserEnvironment.session)
            return try start(words, environment, for: id, isHeld: machine.storage(of: epoch) != nil)
        } catch {
            // If no browser runs, the waiting pages have nothing to wait for.
            if numbers.isEmpty { waitingPages = WaitingPages() }
            return notStarted(id, error)
        }
    }

    private func start(
        _ words: [String], _ environment: [String: String], for id: UInt64, isHeld: Bool
    ) throws -> BrowserMachine.Event {
        let arguments = Array(words.dropFirst())
        guard !isHeld else {
            let waiting = try HeldProcess.start(words[0], arguments: arguments, environment: environment)
            held[waiting.process.pid] = waiting
            try watch(waiting.process)
            Failpoint.browserHeld.reach()
            return .held(id: id, process: waiting.process.pid)
        }
        let browser = try ChildProcess.spawn(
            executable: words[0], arguments: arguments, environment: environment, output: .discarded)
        try watch(browser)
        return started(browser.pid, id: id)
    }

    private func folders(of profile: BrowserProfile) throws(AgentFailure) -> Directory {
        do throws(FileError) { return try profile.make() } catch {
            logger.error("no browser profile", metadata: ["error": "\(error)"])
            throw AgentFailure(.profileUnavailable, "The folder browser.profiles cannot be used.")
        }
    }

    /// Returns the words that are put before the browser's command so that the policies are in force; empty if the
    /// agent does not configure the browser.
    private func wrapper(for profile: BrowserProfile, _ temporary: Directory) throws(AgentFailure) -> [String] {
        guard let managed = configuration.managed, let package else { return [] }
        return try managed.wrapper(
            for: profile, in: temporary, machine.configuration, signIn: machine.signIn, package.get())
    }

    /// Writes the start page, which the browser opens first. The start page of a worker's page waits until the
    /// browser's extension is ready.
    private func startPage(for page: BrowserMachine.Page, in folder: Directory) throws -> StartPage {
        if let package, waitingPages.mustWait { try awaitExtension(of: count, package.get()) }
        switch page {
        case .signIn(let url): return try StartPage(.leads(to: url.text), number: count, in: folder)
        case .worker(let address):
            guard package != nil else {
                throw AgentFailure(.browserUnavailable, "The agent opens a worker's page only if browser.kind is set.")
            }
            let target = address?.text ?? "about:blank"
            let start = try StartPage(waitingPages.content(leadingTo: target), number: count, in: folder)
            guard waitingPages.add(start, to: target) else {
                throw AgentFailure(.browserUnavailable, "Too many pages wait for the browser. Try again later.")
            }
            return start
        }
    }

    /// The profile of an epoch: in the agent's own folder, or in the storage that the broker provides.
    private func profile(of epoch: Epoch.ID) throws(AgentFailure) -> BrowserProfile {
        guard let storage = machine.storage(of: epoch) else { return BrowserProfile(profiles: profiles, epoch: epoch) }
        guard let profile = BrowserProfile(storage: storage, epoch: epoch) else {
            throw AgentFailure(.profileUnavailable, "The name of the broker's storage does not end with the epoch.")
        }
        return profile
    }

    private func watch(_ browser: ChildProcess) throws {
        (browsers[browser.pid], numbers[browser.pid]) = (browser, count)
        try BlockingThread.start { [events] in
            // If waiting for the browser fails, the browser counts as ended; the sweep that follows ends what still
            // runs.
            let status = try? browser.waitForExit()
            events.post(.browserEnded(browser.pid, status))
        }
    }

    private func started(_ browser: Int32, id: UInt64) -> BrowserMachine.Event {
        Failpoint.browserStarted.reach()
        logger.info("browser started", metadata: ["browser.pid": "\(browser)"])
        return .started(id: id, browser: browser)
    }

    private func notStarted(_ id: UInt64, _ error: any Error) -> BrowserMachine.Event {
        logger.error("the browser did not start", metadata: ["error": "\(error)"])
        let failure =
            error as? AgentFailure
            ?? AgentFailure(.browserUnavailable, "Check that browser.command names an executable program.")
        return .startFailed(id: id, failure)
    }

    private func release(_ process: Int32, id: UInt64) -> BrowserMachine.Event {
        do {
            try held.removeValue(forKey: process)?.release()
            return started(process, id: id)
        } catch { return notStarted(id, error) }
    }

    private func endStragglers(_ epoch: Epoch.ID) -> BrowserMachine.Event {
        do throws(ProcessFailure) {
            try ProcessSweep.endDescendants(children: Array(browsers.values))
            return .stragglersEnded
        } catch {
            return notCleared(epoch, error)
        }
    }

    private func clear(_ epoch: Epoch.ID) -> BrowserMachine.Event {
        do {
            try ProcessSweep.endDescendants(children: Array(browsers.values))
            Failpoint.browserEnding.reach()
            (held, numbers, waitingPages) = ([:], [:], WaitingPages())
            try BrowserProfile(profiles: profiles, epoch: epoch).remove()
            if machine.storage(of: epoch) != nil { try profile(of: epoch).remove() }
            Failpoint.browserCleared.reach()
            logger.info("browser cleared")
            return .cleared(epoch: epoch)
        } catch {
            return notCleared(epoch, error)
        }
    }

    private func notCleared(_ epoch: Epoch.ID, _ error: any Error) -> BrowserMachine.Event {
        logger.error("the browser could not be cleared", metadata: ["error": "\(error)"])
        if (error as? FileError)?.errno == EBUSY {
            return .notCleared(
                epoch: epoch,
                AgentFailure(.profileMounted, "Something is mounted in the browser's profile: unmount it (findmnt)."))
        }
        return .notCleared(
            epoch: epoch,
            AgentFailure(
                .notCleared, "A browser process or profile is still there; see the agent's log, then close again."))
    }
}

extension BrowserMachine.Page {
    fileprivate var isWorkers: Bool {
        guard case .worker = self else { return false }
        return true
    }
}
