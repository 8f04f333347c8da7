// SPDX-License-Identifier: Apache-2.0
internal import BrokerIPC
internal import BrokerProtocol
internal import Files
internal import Glibc
internal import Logging
internal import Processes
internal import UnixSocket

extension BrowserAgent {
    /// Passes the event to the machine and carries out its actions until none is left.
    func perform(_ event: BrowserMachine.Event) -> Result<Void, AgentFailure>? {
        var waiting = machine.handle(event)[...]
        while let action = waiting.popFirst() {
            switch action {
            case .report(let message): report(message)
            case .start(let id, let epoch, let url): waiting += machine.handle(start(id, epoch: epoch, url: url))
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
            // The link's thread sees the same end and posts it; the browser is closed then.
            logger.notice("the broker does not listen", metadata: ["error": "\(error)"])
            channel.connection.shutDown()
        }
    }

    /// Notifies the service manager once that the agent serves. A failure is only logged.
    private func tellServiceManager() {
        guard !isReady else { return }
        isReady = true
        do { try ServiceNotification.ready() } catch {
            logger.error("the service manager cannot be told", metadata: ["error": "\(error)"])
        }
    }

    private func start(_ id: UInt64, epoch: Epoch.ID, url: LoopbackURL) -> BrowserMachine.Event {
        guard let profile = profile(of: epoch) else {
            return .startFailed(id: id, AgentFailure(.profileUnavailable, "The broker's storage has another name."))
        }
        let page: StartPage
        let temporary: Directory
        do throws(FileError) {
            temporary = try profile.make()
            pages += 1
            page = try StartPage(to: url, number: pages, in: profile.folder)
        } catch {
            logger.error("no browser profile", metadata: ["error": "\(error)"])
            return .startFailed(
                id: id, AgentFailure(.profileUnavailable, "The folder browser.profiles cannot be used."))
        }
        do {
            let arguments = configuration.command.arguments(profile: profile.browser.path, page: page)
            let environment = BrowserEnvironment.make(for: profile, temporary, from: BrowserEnvironment.session)
            guard machine.storage(of: epoch) == nil else {
                let waiting = try HeldProcess.start(
                    configuration.command.program, arguments: arguments, environment: environment)
                held[waiting.process.pid] = waiting
                try watch(waiting.process)
                return .held(id: id, process: waiting.process.pid)
            }
            let browser = try ChildProcess.spawn(
                executable: configuration.command.program, arguments: arguments, environment: environment,
                output: .discarded)
            try watch(browser)
            return started(browser.pid, id: id)
        } catch { return notStarted(id, error) }
    }

    /// The profile of an epoch: in the agent's own folder, or in the storage that the broker provides.
    private func profile(of epoch: Epoch.ID) -> BrowserProfile? {
        guard let storage = machine.storage(of: epoch) else { return BrowserProfile(profiles: profiles, epoch: epoch) }
        return BrowserProfile(storage: storage, epoch: epoch)
    }

    private func watch(_ browser: ChildProcess) throws {
        browsers[browser.pid] = browser
        try BlockingThread.start { [events] in
            // If the browser cannot be awaited, it counts as ended; the sweep that follows ends it.
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
        return .startFailed(
            id: id, AgentFailure(.browserUnavailable, "Check that browser.command names an executable program."))
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
            logger.info("the person closed the browser")
            return .stragglersEnded
        } catch {
            return notCleared(epoch, error)
        }
    }

    private func clear(_ epoch: Epoch.ID) -> BrowserMachine.Event {
        do {
            try ProcessSweep.endDescendants(children: Array(browsers.values))
            Failpoint.browserEnding.reach()
            held = [:]
            try BrowserProfile(profiles: profiles, epoch: epoch).remove()
            if machine.storage(of: epoch) != nil { try profile(of: epoch)?.remove() }
            Failpoint.browserCleared.reach()
            logger.info("browser cleared away")
            return .cleared(epoch: epoch)
        } catch {
            return notCleared(epoch, error)
        }
    }

    private func notCleared(_ epoch: Epoch.ID, _ error: any Error) -> BrowserMachine.Event {
        logger.error("a browser is not cleared away", metadata: ["error": "\(error)"])
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
