// SPDX-License-Identifier: Apache-2.0
internal import BrokerIPC
internal import BrokerProtocol
internal import Files
internal import Glibc
internal import Processes

/// The supervisor's own observations of one epoch's browser, independent of the agent's reports.
///
/// If the browser runs as the broker's own user, the supervisor can read the mark of the browser's processes
/// (``BrowserProfile/mark``) and the browser's folders. If the browser runs as another user, the supervisor can see at
/// most whether processes that the agent started still run. Such an observation can contradict the agent's report but
/// cannot confirm it.
struct BrowserObservation {
    /// The result of an observation after the agent reported the end of the browser.
    enum End: Equatable {
        /// Every process and folder that was observed is gone, and each browser of the epoch was observed.
        case observed
        /// No observation contradicts the agent's report, but none confirms it either.
        case unobserved
        /// Something that was observed still exists: these processes or, if the list is empty, a folder.
        case contradicted(processes: [Int32])
    }

    let epoch: Epoch
    /// The observed processes that were still running when the supervisor last looked.
    private var processes: Set<ProcessTable.Name> = []
    /// The profiles named in the marks of this epoch's browser processes, keyed by the path of the profile's folder.
    private var profiles: [String: SeenProfile] = [:]
    /// Whether the agent was ordered to open a browser and has not yet reported it as opened.
    private var awaitsBrowser = false
    /// Whether the observation may have missed something, for example because a browser was opened unobserved or
    /// because reading the processes failed.
    private var isIncomplete = false
    private(set) var isEndObserved = false

    /// The maximum number of profiles that are observed. If there are more profiles, the observation counts as
    /// incomplete. An agent keeps its profiles in one folder, so an epoch normally has one profile.
    private static let maximumProfiles = 8

    /// A profile and the temporary folder that it had when it was observed.
    private struct SeenProfile {
        let profile: BrowserProfile
        let temporary: Directory?

        func isAnythingLeft() throws(FileError) -> Bool { try profile.isAnythingLeft(temporary) }
    }

    init(epoch: Epoch) { self.epoch = epoch }

    /// Records that the agent is ordered to open a browser.
    mutating func ordered() {
        if awaitsBrowser { isIncomplete = true }
        awaitsBrowser = true
    }

    /// Records the agent's report that it opened a browser.
    mutating func opened(by agent: AgentLink, _ ownUser: UInt32) {
        guard awaitsBrowser else { return }
        awaitsBrowser = false
        do { if try !look(agent, ownUser) { isIncomplete = true } } catch { isIncomplete = true }
    }

    /// Observes the browser once more, before the agent is ordered to close it.
    mutating func ending(by agent: AgentLink, _ ownUser: UInt32) {
        do { _ = try look(agent, ownUser) } catch { isIncomplete = true }
    }

    /// Checks the agent's report that the browser is gone against the processes and folders that were observed.
    mutating func ended(by agent: AgentLink, _ ownUser: UInt32) -> End {
        isEndObserved = false
        do {
            _ = try look(agent, ownUser)
            guard processes.isEmpty else { return .contradicted(processes: processes.map(\.pid).sorted()) }
            for profile in profiles.values where try profile.isAnythingLeft() { return .contradicted(processes: []) }
        } catch { return .unobserved }
        isEndObserved = !isIncomplete && !awaitsBrowser && !profiles.isEmpty
        return isEndObserved ? .observed : .unobserved
    }

    /// Adds the processes and profiles that exist now, and drops processes that have ended.
    ///
    /// - Returns: whether a process with the epoch's mark runs.
    private mutating func look(_ agent: AgentLink, _ ownUser: UInt32) throws -> Bool {
        let table = try ProcessTable.read()
        var found = processes
        if let pid = agent.pid, pid > 0 {
            // The broker's own descendants are not browsers, even if the agent also started the broker.
            let own = Set(table.descendants(of: getpid()).map(\.name))
            let started = table.descendants(of: pid).filter { $0.pid != getpid() }.map(\.name)
            found.formUnion(Set(started).subtracting(own))
        }
        var isMarked = false
        if agent.user == ownUser {
            for (entry, folder) in try table.variables(beginning: BrowserProfile.markName + "=") {
                guard let profile = BrowserProfile(mark: folder, epoch: epoch.id) else { continue }
                isMarked = true
                found.insert(entry.name)
                found.formUnion(table.descendants(of: entry.pid).map(\.name))
                try add(profile)
            }
        }
        processes = found.intersection(table.entries.filter { !$0.isZombie }.map(\.name))
        return isMarked
    }

    /// Adds a profile whose folder exists. The absence of a folder that was never observed does not prove anything.
    private mutating func add(_ profile: BrowserProfile) throws {
        guard profiles[profile.folder.path] == nil, try profile.isThere() else { return }
        guard profiles.count < Self.maximumProfiles else { return isIncomplete = true }
        let temporary = try profile.temporary.recorded()
        // If the temporary folder was not observed, its removal cannot be observed.
        if try temporary == nil && !profile.isConfined() { isIncomplete = true }
        profiles[profile.folder.path] = SeenProfile(profile: profile, temporary: temporary)
    }
}
