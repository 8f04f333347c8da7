// SPDX-License-Identifier: Apache-2.0
internal import BrokerIPC
internal import BrokerProtocol
internal import Files
internal import Glibc
internal import Processes

/// What the supervisor itself sees of one epoch's browser, beside what the agent says of it.
///
/// The mark and the folders of a browser can be read where it runs as the broker's own user. Of another user's the broker
/// sees at most that processes which the agent started still run: that contradicts the agent, but confirms nothing.
struct BrowserObservation {
    /// What became of the browser, as far as it can be seen from here.
    enum End: Equatable {
        /// Every process and folder that was seen is gone, and each browser of the epoch was seen.
        case observed
        /// Nothing contradicts the agent, and nothing else than its word is known.
        case unobserved
        /// Something that was seen is still there: these processes, or where there are none, a folder.
        case contradicted(processes: [Int32])
    }

    let epoch: Epoch
    /// The processes that were seen, and still ran when they were looked at last.
    private var processes: Set<ProcessTable.Entry.Name> = []
    /// The profiles that marks of the epoch named, by their folder's path.
    private var profiles: [String: SeenProfile] = [:]
    /// The agent was told to open a browser that has not been seen yet.
    private var awaitsBrowser = false
    /// A browser was opened that was not seen, or a look failed.
    private var isIncomplete = false
    private(set) var isEndObserved = false

    /// The agent has one folder for profiles; who names more than a few names none.
    private static let maximumProfiles = 8

    /// A profile, and the temporary folder that belonged to it when it was seen.
    private struct SeenProfile {
        let profile: BrowserProfile
        let temporary: Directory?

        func isAnythingLeft() throws(FileError) -> Bool { try profile.isAnythingLeft(temporary) }
    }

    init(epoch: Epoch) { self.epoch = epoch }

    /// The agent is told to open a browser.
    mutating func ordered() {
        if awaitsBrowser { isIncomplete = true }
        awaitsBrowser = true
    }

    /// The agent says that it has opened one.
    mutating func opened(by agent: AgentLink, _ ownUser: UInt32) {
        guard awaitsBrowser else { return }
        awaitsBrowser = false
        do { if try !look(agent, ownUser) { isIncomplete = true } } catch { isIncomplete = true }
    }

    /// The agent is about to be told that the browser must go.
    mutating func ending(by agent: AgentLink, _ ownUser: UInt32) {
        do { _ = try look(agent, ownUser) } catch { isIncomplete = true }
    }

    /// The agent says that everything is gone.
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

    /// Adds what is there now, and forgets processes that are gone.
    ///
    /// - Returns: whether a process with the epoch's mark runs.
    private mutating func look(_ agent: AgentLink, _ ownUser: UInt32) throws -> Bool {
        let table = try ProcessTable.read()
        var found = processes
        if let pid = agent.pid, pid > 0 {
            // Whoever started the broker, too, did not start it as a browser.
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

    /// A folder that was never there proves nothing by its absence.
    private mutating func add(_ profile: BrowserProfile) throws {
        guard profiles[profile.folder.path] == nil, try profile.isThere() else { return }
        guard profiles.count < Self.maximumProfiles else { return isIncomplete = true }
        let temporary = try profile.temporary.recorded()
        // A browser's temporary folder that was not seen is not seen to go.
        if temporary == nil { isIncomplete = true }
        profiles[profile.folder.path] = SeenProfile(profile: profile, temporary: temporary)
    }
}
