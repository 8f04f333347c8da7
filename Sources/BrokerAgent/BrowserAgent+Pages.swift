// SPDX-License-Identifier: Apache-2.0
internal import BrokerIPC
internal import BrowserExtension
internal import Files
internal import Logging
internal import Processes

extension BrowserAgent {
    /// Starts to wait for the extension of one of the running browsers, or of the next browser.
    ///
    /// - Parameter number: the number of the next browser; nil if none is about to start.
    func awaitExtension(of number: Int?, _ package: BrowserExtensionPackage) throws {
        let expected = Set(numbers.values).union(number.map { [$0] } ?? [])
        let readiness = try ExtensionReadiness(file: package.readyFile, of: expected, isNew: numbers.isEmpty)
        let wait = count
        waitingPages.begin(wait)
        try BlockingThread.start { [events] in
            events.post(.extensionSettled(wait: wait, browser: readiness.wait()))
        }
    }

    /// Handles the end of a wait for an extension.
    func extensionSettled(_ wait: Int, browser: Int?) -> Result<Void, AgentFailure>? {
        guard let browser else {
            guard waitingPages.isWaiting(wait) else { return nil }
            logger.error("the browser's extension is not ready: pages open without a sign-in")
            settlePages(by: nil)
            return perform(.extensionSilent)
        }
        guard waitingPages.mustWait else { return nil }
        guard let process = numbers.first(where: { $0.value == browser })?.key else {
            // The browser has ended in the meantime.
            return waitingPages.isWaiting(wait) ? awaitNextExtension() : nil
        }
        settlePages(by: browser)
        return perform(.extensionServes(browser: process))
    }

    private func settlePages(by browser: Int?) {
        do throws(FileError) { try waitingPages.settle(by: browser) } catch {
            logger.error("a page cannot be opened", metadata: ["error": "\(error)"])
        }
    }

    /// Starts to wait for the extension of the browser that replaces a browser that has ended.
    private func awaitNextExtension() -> Result<Void, AgentFailure>? {
        guard let package = try? package?.get(), !numbers.isEmpty else { return nil }
        count += 1
        do { try awaitExtension(of: nil, package) } catch {
            logger.error("the browser's extension is not ready: pages open without a sign-in")
            return perform(.extensionSilent)
        }
        return nil
    }

    /// Handles the end of a browser, or of a process that waits to become a browser.
    func browserEnded(_ process: Int32, _ status: ExitStatus?) -> Result<Void, AgentFailure>? {
        let wasServing = numbers.removeValue(forKey: process).map(waitingPages.isServed) ?? false
        (browsers[process], held[process]) = (nil, nil)
        if numbers.isEmpty { waitingPages = WaitingPages() } else if wasServing { _ = awaitNextExtension() }
        // The end of a browser that the agent ended itself is not logged.
        if case .open(_, let running) = machine.state, running.contains(process) {
            log(status, isLast: running.count == 1)
        }
        switch status {
        case .exited(0): return perform(.browserEnded(process))
        case .exited: return perform(.browserBroke(process))
        case .signalled, nil: return perform(.browserKilled(process))
        }
    }

    private func log(_ status: ExitStatus?, isLast: Bool) {
        switch status {
        case .exited(0): if isLast { logger.info("the person closed the browser") }
        // Like a shell, bubblewrap exits with 128 plus the number of the signal that ended the browser.
        case .exited(let code) where configuration.managed != nil && (129...159).contains(code):
            logger.error("a signal ended the browser", metadata: ["browser.signal": "\(code - 128)"])
        case .exited(let code):
            logger.error("the browser ended with an error", metadata: ["browser.status": "\(code)"])
        case .signalled(let signal):
            logger.error("a signal ended the browser", metadata: ["browser.signal": "\(signal)"])
        case nil: logger.error("it is unknown how the browser ended")
        }
    }
}
