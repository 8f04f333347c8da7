// SPDX-License-Identifier: Apache-2.0
internal import BrokerIPC
internal import BrowserPolicies
internal import BrowserWindows
internal import Logging
internal import Processes

/// Whether the installed browsers know the policies on which Baton relies. Chromium and Firefox ignore an unknown policy.
///
/// A search reads a browser's files when the agent starts, and again if they have changed before a window opens. It belongs to
/// the agent's thread; its own threads only wait.
final class PolicyChecks {
    /// The search of a browser's files, and which content it reads.
    private struct Examined {
        let stamp: FileStamp?
        let search: PolicySearch
        /// Nil while the search runs.
        var finding: PolicySearch.Finding?
    }

    private let places: (signIn: PolicyPlace, workers: PolicyPlace)?
    private let events: Mailbox<BrowserAgent.Event>
    private let logger: Logger
    private var examined: [PolicyPlace: Examined] = [:]

    /// - Parameter browser: the browser that the agent configures; nil if it configures none.
    init(of browser: ManagedBrowser?, events: Mailbox<BrowserAgent.Event>, logger: Logger) {
        (places, self.events, self.logger) = (browser?.policyPlaces, events, logger)
    }

    /// The running searches.
    var children: [ChildProcess] { examined.values.filter { $0.finding == nil }.map(\.search.process) }

    /// Starts to examine the browsers of the agent's windows.
    func begin() {
        guard let places else { return }
        for place in Set([places.signIn, places.workers]) { examine(place) }
    }

    /// Notes what a search has found that has ended.
    func searched(_ place: PolicyPlace) { _ = conclude(place) }

    /// Why windows cannot open, as far as the examinations have ended.
    var obstacle: WindowObstacle? {
        guard let places else { return nil }
        if failure(in: places.signIn) != nil { return .policyUnknown }
        return failure(in: places.workers) == nil ? nil : .workersPolicyUnknown
    }

    /// Refuses a window of a browser that does not know a policy on which Baton relies.
    ///
    /// - Throws: ``AgentFailure``
    func check(_ place: PolicyPlace) throws(AgentFailure) {
        if examined[place]?.stamp != FileStamp(of: place.file) { examine(place) }
        // A search that was interrupted is repeated once.
        if conclude(place) == nil {
            examine(place)
            _ = conclude(place)
        }
        guard let failure = failure(in: place) else { return }
        throw AgentFailure(.policyUnknown, failure.description)
    }

    /// Drops the searches that were ended with all processes of the agent.
    func dropSearches() { examined = examined.filter { $0.value.finding != nil } }

    private func examine(_ place: PolicyPlace) {
        examined[place] = nil
        do {
            // Before the search: a file that changes meanwhile is read again.
            let stamp = FileStamp(of: place.file)
            let search = try PolicySearch(for: place.names.all, in: place)
            examined[place] = Examined(stamp: stamp, search: search)
            try BlockingThread.start { [events] in
                _ = search.finish()
                events.post(.policiesSearched(place))
            }
        } catch { logger.error("a browser's policies cannot be examined", metadata: ["error": "\(error)"]) }
    }

    /// Waits for the search, if it still runs.
    private func conclude(_ place: PolicyPlace) -> PolicySearch.Finding? {
        guard let present = examined[place] else { return nil }
        if let known = present.finding { return known }
        guard let finding = present.search.finish() else {
            examined[place] = nil
            return nil
        }
        examined[place]?.finding = finding
        log(finding, of: place)
        return finding
    }

    private func failure(in place: PolicyPlace) -> PolicyFailure? {
        examined[place].flatMap { PolicyFailure($0.finding, needed: place.names.needed, in: place) }
    }

    private func log(_ finding: PolicySearch.Finding, of place: PolicyPlace) {
        guard case .known(let known) = finding else {
            return logger.warning("it is unknown which policies a browser knows", metadata: ["file": "\(place.file)"])
        }
        let dispensable = place.names.dispensable.subtracting(known).sorted().joined(separator: ", ")
        if !dispensable.isEmpty {
            logger.notice("a browser does not know dispensable policies", metadata: ["policies": "\(dispensable)"])
        }
        if let failure = failure(in: place) {
            logger.error("no window can open", metadata: ["error": "\(failure)"])
        }
    }
}

extension PolicyPlace {
    fileprivate var names: PolicyNames {
        switch self {
        case .program: ChromiumPolicies.names
        case .schema: FirefoxPolicies.names
        }
    }
}
