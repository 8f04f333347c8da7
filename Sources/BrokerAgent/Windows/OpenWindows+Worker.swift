// SPDX-License-Identifier: Apache-2.0
internal import BrokerIPC
internal import BrowserPolicies
internal import BrowserWindows
internal import Files
internal import Glibc
internal import Logging
internal import Processes

extension OpenWindows {
    /// Opens a page in the worker's browser. If the worker has opened no page yet, starts the browser's sandbox first.
    ///
    /// - Parameter address: nil for the home page.
    func openPage(_ address: WebAddress?, _ order: Order) throws -> BrowserMachine.Event {
        guard let managed = configuration.managed, let package = try package?.get() else {
            throw AgentFailure(.browserUnavailable, "The agent opens a worker's page only if browser.kind is set.")
        }
        // This is necessary even while the browser runs, because it reads the extension again whenever it starts anew
        // in its sandbox.
        try refuseChangedFiles()
        try policies.check(managed.policyPlaces.workers)
        endUnended()
        guard unended.isEmpty else {
            throw AgentFailure(.notCleared, "A sign-in window has not ended yet. Open the page again.")
        }
        let number = next()
        var sandbox: HeldProcess?
        if worker == nil {
            try firefox.interrupt()
            let folder = try windowFolder(BrowserProfile.workersWindow, of: order.profile)
            let prepared = try managed.workersBrowser(window(folder, order), package, profile: firefox.archive)
            try refuse(ifChanged: prepared.policies)
            sandbox = try start(prepared, environment(of: order.profile), in: folder)
        }
        do { try open(address, as: number) } catch {
            // Without a page, a new sandbox has no use.
            sandbox?.process.kill()
            throw error
        }
        logger.info("page opens in the worker's browser", metadata: ["page.number": "\(number)"])
        guard let sandbox else { return .started(id: order.id, browser: number, isPassedOn: true) }
        guard !order.isHeld else { return hold(HeldWindow(held: sandbox, number: number, isWorkers: true), order) }
        try worker?.release()
        return started(number, by: sandbox.process, order.id)
    }

    private func start(
        _ prepared: ManagedBrowser.Prepared, _ environment: [String: String], in folder: Directory
    ) throws -> HeldProcess {
        let said = try BubblewrapWords()
        let sandbox = try HeldProcess.start(
            prepared.words, environment: environment, files: prepared.files + [said.descriptor], keepsInput: true)
        let browser = WorkersBrowser(sandbox, folder: folder, policies: prepared.policies, said)
        worker = browser
        try BlockingThread.start { [events] in
            browser.readEnds { events.post(.pageEnded($0, $1)) }
            let status = try? browser.process.waitForExit()
            events.post(.workersBrowserEnded(process: browser.process.pid, status))
        }
        return sandbox
    }

    private func open(_ address: WebAddress?, as number: Int) throws {
        guard let folder = worker?.folder else { return }
        if waitingPages.mustWait { try awaitExtension() }
        let target = address?.text ?? "about:blank"
        let page = try StartPage(waitingPages.content(leadingTo: target), number: number, in: folder)
        guard waitingPages.add(page, to: target) else {
            throw AgentFailure(.browserUnavailable, "Too many pages wait for the browser. Try again later.")
        }
        try worker?.open(page, number: number)
    }

    // MARK: - The extension

    /// How many milliseconds an extension may take to become ready. A page that has waited this long opens without a
    /// sign-in.
    private static let patience: UInt32 = 10_000

    /// Starts to wait for the extension of the worker's browser.
    ///
    /// - Throws: ``ThreadFailure``
    private func awaitExtension() throws {
        let wait = next()
        waitingPages.begin(wait)
        try BlockingThread.start { [events] in
            usleep(Self.patience * 1000)
            events.post(.extensionOverdue(wait: wait))
        }
    }

    /// Handles a report that an extension is ready.
    func extensionReady(_ browser: Int) -> [BrowserMachine.Event] {
        guard worker?.pages.contains(browser) == true else { return [] }
        waitingPages.note(browser)
        guard waitingPages.mustWait else { return [] }
        settlePages(by: browser)
        return [.extensionServes(browser: browser)]
    }

    /// Handles the case where the extension was not ready in time.
    func extensionOverdue(_ wait: Int) -> [BrowserMachine.Event] {
        guard waitingPages.isWaiting(wait) else { return [] }
        logger.error("the browser's extension is not ready: pages open without a sign-in")
        settlePages(by: nil)
        return [.extensionSilent]
    }

    private func settlePages(by browser: Int?) {
        do throws(FileError) { try waitingPages.settle(by: browser) } catch {
            logger.error("a page cannot be opened", metadata: ["error": "\(error)"])
        }
    }

    /// Starts to wait for the extension of the browser that replaces a browser that has ended.
    func awaitNextExtension() -> [BrowserMachine.Event] {
        do { try awaitExtension() } catch {
            logger.error("the browser's extension is not ready: pages open without a sign-in")
            return [.extensionSilent]
        }
        // The replacement may have reported already.
        guard let ready = worker?.pages.first(where: waitingPages.isReady) else { return [] }
        return extensionReady(ready)
    }
}
