// SPDX-License-Identifier: Apache-2.0
internal import BrokerIPC
internal import BrowserWindows
internal import Files
internal import Logging
internal import Processes

extension OpenWindows {
    func watch(_ window: ChildProcess, as number: Int) throws {
        windows[number] = window
        try BlockingThread.start { [events] in
            // If waiting for the window fails, it counts as ended; the sweep that follows ends what still runs.
            let status = try? window.waitForExit()
            events.post(.windowEnded(number, status))
        }
    }

    /// Looks at what the browsers hold open. Firefox's first start is left out, because it shows no page and belongs to
    /// no worker. A browser that is not confined cannot be judged.
    func examine(_ moment: BrowserExamination.Moment) -> BrowserExamination {
        var examination = BrowserExamination(moment)
        if configuration.managed == nil {
            examination.isComplete = false
        } else {
            let windows = children.filter { $0.pid != firefox.child?.pid }
            examination = BrowserExaminer.examine(windows, except: firefox.child, moment)
        }
        compareFiles()
        examination.files = comparedFiles
        for resource in examination.found {
            logger.error("a browser holds something open", metadata: ["resource": "\(resource.name)"])
        }
        if !examination.isComplete, configuration.managed != nil {
            logger.error("a browser could not be examined completely")
        }
        return examination
    }

    /// Ends a process that must not open its window.
    func drop(_ process: Int32) { held[process]?.held.process.kill() }

    /// Ends windows and waits until none of their processes runs. Their ends are not reported.
    func end(_ numbers: Set<Int>) {
        for number in numbers { (unended[number], words[number]) = (windows.removeValue(forKey: number), nil) }
        endUnended()
    }

    /// Ends the windows that should already have ended. If a window does not end, the agent tries again before the
    /// worker's next page opens.
    func endUnended() {
        for (number, window) in unended {
            do throws(ProcessFailure) {
                try ProcessSweep.end(window)
                unended[number] = nil
                removeFolder(of: number)
            } catch { logger.error("a sign-in window did not end", metadata: ["error": "\(error)"]) }
        }
    }

    /// Forgets all windows. Their processes have already ended.
    func forget() {
        (held, windows, words, unended, folders) = ([:], [:], [:], [:], [:])
        (worker, waitingPages) = (nil, WaitingPages())
        comparison = ComparedFiles()
    }

    /// Removes a window's policies and start page. What cannot be removed now is removed with the profile.
    private func removeFolder(of number: Int) {
        guard let window = folders.removeValue(forKey: number) else { return }
        compare(window.policies)
        do throws(FileError) { try window.folder.removeTree() } catch {
            logger.error("the folder of a sign-in window is left", metadata: ["error": "\(error)"])
        }
    }

    /// Handles the end of a sign-in window, of a browser that the agent does not configure, or of a process that waits
    /// to become one of these.
    func windowEnded(_ number: Int, _ status: ExitStatus?) -> [BrowserMachine.Event] {
        guard let window = windows.removeValue(forKey: number) else { return [] }
        removeFolder(of: number)
        let said = words.removeValue(forKey: number)
        if held.removeValue(forKey: window.pid) != nil { return [.heldEnded(process: window.pid)] }
        log(status, isLast: windows.isEmpty, said)
        return [Self.end(of: number, status)]
    }

    /// Handles the end of a process of the worker's browser.
    func pageEnded(_ number: Int, _ status: ExitStatus) -> [BrowserMachine.Event] {
        guard worker?.remove(number) == true else { return [] }
        let isLast = worker?.pages.isEmpty == true
        var events: [BrowserMachine.Event] = []
        if isLast {
            waitingPages = WaitingPages()
        } else if waitingPages.isServed(by: number) {
            events = awaitNextExtension()
        }
        log(status, isLast: isLast)
        return events + [Self.end(of: number, status)]
    }

    /// Handles the end of the worker's browser as a whole.
    func workersBrowserEnded(_ process: Int32, _ status: ExitStatus?) -> [BrowserMachine.Event] {
        guard let ended = worker, ended.process.pid == process else { return [] }
        log(status, isLast: false, ended.words)
        compare(ended.policies)
        (worker, waitingPages) = (nil, WaitingPages())
        let waited: [BrowserMachine.Event] =
            held.removeValue(forKey: process) == nil ? [] : [.heldEnded(process: process)]
        return waited + ended.pages.map { .browserKilled($0) }
    }

    private static func end(of number: Int, _ status: ExitStatus?) -> BrowserMachine.Event {
        switch status {
        case .exited(0): .browserEnded(number)
        case .exited: .browserBroke(number)
        case .signalled, nil: .browserKilled(number)
        }
    }

    /// - Parameter words: the text that bubblewrap has written. It writes text only if it could not start the browser.
    private func log(_ status: ExitStatus?, isLast: Bool, _ words: BubblewrapWords? = nil) {
        if let text = words?.text {
            logger.error("bubblewrap could not start a window", metadata: ["bubblewrap": "\(text)"])
        }
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
