// SPDX-License-Identifier: Apache-2.0
internal import BrokerIPC
internal import BrokerProtocol
internal import Files
internal import Glibc
internal import Logging
internal import Processes
internal import UnixSocket

extension BrowserAgent {
    /// Passes the event to the state machine and carries out the resulting actions until none is left. Returns the
    /// agent's result if the agent must end.
    func perform(_ event: BrowserMachine.Event) -> Result<Void, AgentFailure>? {
        var waiting = machine.handle(event)[...]
        while let action = waiting.popFirst() {
            switch action {
            case .report(.browserBroke(let epoch)) where configuration.managed == nil:
                report(.programBroke(epoch: epoch))
            case .report(let message): report(message)
            case .start(let id, let epoch, let page): waiting += machine.handle(start(id, epoch: epoch, page: page))
            case .release(let id, let process): waiting += machine.handle(release(process, id: id))
            case .drop(let process): windows.drop(process)
            case .endWindows(let numbers): windows.end(numbers)
            case .examine(let epoch, let moment): report(.examined(epoch: epoch, windows.examine(moment)))
            case .endStragglers(let epoch): waiting += machine.handle(endStragglers(epoch))
            case .clear(let epoch): waiting += machine.handle(clear(epoch))
            case .clearData(let epoch, let apps, let deadline, let connection):
                take(apps, of: epoch, until: deadline, connection: connection)
            case .finish(let failure): return failure.map { .failure($0) } ?? .success(())
            }
        }
        return nil
    }

    /// Passes the events to the state machine, one after the other.
    func perform(_ events: [BrowserMachine.Event]) -> Result<Void, AgentFailure>? {
        for event in events {
            if let end = perform(event) { return end }
        }
        return nil
    }

    /// Takes the data of apps away on a separate thread, because a process that does not end must not delay the closing
    /// of the browser.
    private func take(_ apps: [AppData], of epoch: Epoch.ID, until deadline: Duration, connection: Int) {
        do {
            takings += 1
            try BlockingThread.start { [trash, events] in
                let failures = trash.take(apps, of: epoch, until: deadline)
                events.post(.dataTaken(epoch: epoch, failures, connection: connection))
            }
        } catch {
            // No report is sent, but the broker does not wait for ever.
            takings -= 1
            logger.error("no thread takes the data of apps away", metadata: ["error": "\(error)"])
        }
    }

    func report(_ message: AgentMessage) {
        guard let channel else { return }
        do {
            try channel.send(message)
            if case .hello = message {
                hasSaidHello = true
                if let obstacle = windows.obstacle() { try channel.send(.cannotOpen(obstacle)) }
                if foldersLeft > 0 { try channel.send(.dataLeft(folders: foldersLeft)) }
                tellServiceManager()
            }
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
            let order = OpenWindows.Order(
                id: id, profile: try profile(of: epoch), configuration: machine.configuration, signIn: machine.signIn,
                isHeld: machine.storage(of: epoch) != nil)
            switch page {
            case .signIn(let url, let pages): return try windows.openSignIn(url, leadingTo: pages, order)
            case .worker(let address): return try windows.openPage(address, order)
            }
        } catch { return notStarted(id, error) }
    }

    /// The profile of an epoch: in the agent's own folder, or in the storage that the broker provides.
    private func profile(of epoch: Epoch.ID) throws(AgentFailure) -> BrowserProfile {
        guard let storage = machine.storage(of: epoch) else { return BrowserProfile(profiles: profiles, epoch: epoch) }
        guard let profile = BrowserProfile(storage: storage, epoch: epoch) else {
            throw AgentFailure(.profileUnavailable, "The name of the broker's storage does not end with the epoch.")
        }
        return profile
    }

    private func notStarted(_ id: UInt64, _ error: any Error) -> BrowserMachine.Event {
        logger.error("the browser did not start", metadata: ["error": "\(error)"])
        let failure =
            error as? AgentFailure
            ?? AgentFailure(.browserUnavailable, "Check that browser.command names an executable program.")
        return .startFailed(id: id, failure)
    }

    private func release(_ process: Int32, id: UInt64) -> BrowserMachine.Event {
        do { return try windows.release(process, for: id) } catch { return notStarted(id, error) }
    }

    /// Ends the processes that closed browsers left running. Does nothing if the agent confines its windows: no process
    /// outlives a confined window, and the worker's browser must keep running.
    private func endStragglers(_ epoch: Epoch.ID) -> BrowserMachine.Event {
        guard configuration.managed == nil else { return .stragglersEnded }
        do throws(ProcessFailure) {
            try ProcessSweep.endDescendants(children: windows.children)
            return .stragglersEnded
        } catch {
            return notCleared(epoch, error)
        }
    }

    private func clear(_ epoch: Epoch.ID) -> BrowserMachine.Event {
        do {
            try ProcessSweep.endDescendants(children: windows.children)
            windows.policies.dropSearches()
            windows.firefox.interrupted()
            Failpoint.browserEnding.reach()
            windows.forget()
            try BrowserProfile(profiles: profiles, epoch: epoch).remove()
            if machine.storage(of: epoch) != nil { try profile(of: epoch).remove() }
            Failpoint.browserCleared.reach()
            logger.info("browser cleared")
            mustRenew = hasReadPage
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
