// SPDX-License-Identifier: Apache-2.0
internal import BrokerIPC
internal import BrowserPolicies
internal import BrowserWindows
internal import Logging
internal import Processes

/// Checks whether the installed browsers know the policies on which Baton relies. Chromium and Firefox ignore an
/// unknown policy.
///
/// A search reads a browser's files when the agent starts. Before a window opens, the files are searched again if they
/// have changed. This object belongs to the agent's thread; its own threads only wait.
final class PolicyChecks {
    /// A search of a browser's files for policies: running, or ended with a finding.
    private enum Examination {
        /// The stamp identifies the content that the search reads.
        case running(PolicySearch, FileStamp?)
        case ended(ExaminedPolicies)
    }

    private let places: (signIn: PolicyPlace, workers: PolicyPlace)?
    private let events: Mailbox<BrowserAgent.Event>
    private let logger: Logger
    private var examinations: [PolicyPlace: Examination]

    /// - Parameters:
    ///   - browser: the browser that the agent configures; nil if it configures none.
    ///   - known: what the agent's former start has found (``known``).
    init(
        of browser: ManagedBrowser?, known: [ExaminedPolicies], events: Mailbox<BrowserAgent.Event>, logger: Logger
    ) {
        (places, self.events, self.logger) = (browser?.policyPlaces, events, logger)
        examinations = Dictionary(known.map { ($0.place, .ended($0)) }) { $1 }
    }

    /// The running searches.
    var children: [ChildProcess] {
        examinations.values.compactMap { examination in
            guard case .running(let search, _) = examination else { return nil }
            return search.process
        }
    }

    /// The findings of the searches that have ended.
    var known: [ExaminedPolicies] {
        examinations.values.compactMap { examination in
            guard case .ended(let examined) = examination else { return nil }
            return examined
        }
    }

    /// Starts to examine the browsers of the agent's windows. A browser whose files have not changed since its last
    /// examination is left out.
    func begin() {
        guard let places else { return }
        for place in Set([places.signIn, places.workers]) where !isUpToDate(place) { examine(place) }
    }

    /// Records the finding of a search that has ended.
    func searched(_ place: PolicyPlace) { _ = conclude(place) }

    /// Why windows cannot open, judging by the examinations that have ended.
    var obstacle: WindowObstacle? {
        guard let places else { return nil }
        if failure(in: places.signIn) != nil { return .policyUnknown }
        return failure(in: places.workers) == nil ? nil : .workersPolicyUnknown
    }

    /// Refuses a window of a browser that does not know a policy on which Baton relies.
    ///
    /// - Throws: ``AgentFailure``
    func check(_ place: PolicyPlace) throws(AgentFailure) {
        if !isUpToDate(place) { examine(place) }
        // A search that was interrupted is repeated once.
        if conclude(place) == nil {
            examine(place)
            _ = conclude(place)
        }
        guard let failure = failure(in: place) else { return }
        throw AgentFailure(.policyUnknown, failure.description)
    }

    /// Drops the running searches, after all processes of the agent were ended.
    func dropSearches() {
        examinations = examinations.filter { _, examination in
            guard case .ended = examination else { return false }
            return true
        }
    }

    /// Whether the browser's files have not changed since its examination began.
    private func isUpToDate(_ place: PolicyPlace) -> Bool {
        switch examinations[place] {
        case .running(_, let stamp)?: stamp == FileStamp(of: place.file)
        case .ended(let examined)?: examined.answers(place.names.all)
        case nil: false
        }
    }

    private func examine(_ place: PolicyPlace) {
        examinations[place] = nil
        do {
            // Take the stamp before the search, so that a file that changes meanwhile is read again.
            let stamp = FileStamp(of: place.file)
            let search = try PolicySearch(for: place.names.all, in: place)
            examinations[place] = .running(search, stamp)
            try BlockingThread.start { [events] in
                _ = search.finish()
                events.post(.policiesSearched(place))
            }
        } catch { logger.error("a browser's policies cannot be examined", metadata: ["error": "\(error)"]) }
    }

    /// Waits for the search, if it still runs.
    private func conclude(_ place: PolicyPlace) -> PolicySearch.Finding? {
        switch examinations[place] {
        case nil: return nil
        case .ended(let examined)?: return examined.finding
        case .running(let search, let stamp)?:
            let finding = search.finish()
            examinations[place] = finding.map { .ended(ExaminedPolicies($0, of: place.names.all, in: place, stamp)) }
            if let finding { log(finding, of: place) }
            return finding
        }
    }

    private func failure(in place: PolicyPlace) -> PolicyFailure? {
        guard case .ended(let examined)? = examinations[place] else { return nil }
        return PolicyFailure(examined.finding, needed: place.names.needed, in: place)
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
