// SPDX-License-Identifier: Apache-2.0
package import BrokerIPC
package import BrokerProtocol
package import Processes

/// An order to the agent: it ends the processes of apps that have not erased, and takes their folders away.
package struct DataOrder: Hashable, Sendable {
    /// All apps of the sign-out.
    package let data: [AppData]
    /// The apps about which the agent has not answered, or must answer again.
    package private(set) var asked: Set<String>
    /// What the agent has answered about the others.
    private var answered: [AppDataFailure] = []
    /// The apps without folders, of which only processes are ended.
    private let ended: Set<String>
    /// The processes of each app that had not erased by then, also those that had ended.
    private let known: [String: Set<ProcessTable.Name>]
    /// The time since the machine was started after which nothing is moved.
    package let deadline: Duration
    /// Why the data of other apps is not in the order.
    private let withheld: [AppDataFailure]

    /// - Parameters:
    ///   - folders: the paths of the apps' folders of data.
    ///   - keepers: the apps with folders that were given something of the worker.
    ///   - isRunning: whether a process is not known to have ended.
    package init(
        for apps: [String], of epoch: Epoch, folders: [String: Set<String>], keepers: Set<String>,
        until deadline: Duration, _ record: AppProcessRecord, isRunning: (ProcessTable.Name) -> Bool
    ) {
        var data: [AppData] = []
        var withheld: [AppDataFailure] = []
        var only: Set<String> = []
        for app in apps {
            let folders = folders[app, default: []]
            if folders.isEmpty, !keepers.contains(app) {
                only.insert(app)
                if let processes = record.silent(of: app, in: epoch, isRunning: isRunning) {
                    data.append(AppData(app: app, folders: [], processes: Self.sorted(processes)))
                } else {
                    withheld.append(AppDataFailure(app: app, code: .tooManyProcesses))
                }
            } else if folders.isEmpty {
                withheld.append(AppDataFailure(app: app, code: .unnamed))
            } else if !record.isComplete {
                // A process that nobody knows could write the data again.
                withheld.append(AppDataFailure(app: app, code: .unknownProcesses))
            } else if let processes = record.unerased(of: app, in: epoch, isRunning: isRunning) {
                data.append(AppData(app: app, folders: folders.sorted(), processes: Self.sorted(processes)))
            } else {
                withheld.append(AppDataFailure(app: app, code: .tooManyProcesses))
            }
        }
        (self.data, ended, self.deadline, self.withheld) = (data, only, deadline, withheld)
        asked = Set(data.map(\.app))
        let known = data.map { ($0.app, record.unerased(of: $0.app, in: epoch).union($0.processes)) }
        self.known = Dictionary(uniqueKeysWithValues: known)
    }

    private static func sorted(_ processes: Set<ProcessTable.Name>) -> [ProcessTable.Name] {
        processes.sorted { ($0.pid, $0.startTime) < ($1.pid, $1.startTime) }
    }

    /// The data that the agent is told to take away.
    package var askedData: [AppData] { data.filter { asked.contains($0.app) } }

    /// The same with only those apps to be ordered again that have grown.
    package func again(_ grown: Set<String>, after earlier: DataOrder, _ answered: [AppDataFailure]) -> DataOrder {
        var order = self
        order.asked = grown
        order.answered = (earlier.answered + answered).filter { !grown.contains($0.app) }
        return order
    }

    /// The apps of an earlier order that have got processes since, or have processes that must erase again. One of
    /// these that has ended may have read the data before it was taken away, and written it again.
    package func grown(since earlier: DataOrder) -> Set<String> {
        let grown = data.filter { earlier.known[$0.app]?.isSuperset(of: known[$0.app, default: []]) == false }
        return Set(grown.map(\.app) + withheld.map(\.app)).intersection(earlier.known.keys)
    }

    /// What came of an order.
    package struct Outcome: Sendable {
        /// Why data is still in its place.
        package let failures: [AppDataFailure]
        /// The apps whose data is away.
        package let taken: Set<String>
        /// The apps whose data the receipt says could not be taken.
        package let failed: Set<String>
        /// The apps without an eraser of which a folder was not there: they are not locked, and the receipt says nothing of
        /// them, because nobody knows where their data is.
        package let absent: Set<String>
    }

    /// The end of the agent's work, after its answer.
    ///
    /// - Parameter grown: the apps that have got processes since the order, and the agent has no time left for them.
    package func outcome(
        _ answer: [AppDataFailure], grown: Set<String>, of pending: SessionMachine.PendingSignOut
    ) -> Outcome {
        let left = grown.sorted().map { AppDataFailure(app: $0, code: .processLeft) }
        return outcome(left + answered + answer, unreported: [], of: pending)
    }

    /// The same after an agent that has said nothing in its time: what it has done is not known.
    package func outcomeOfSilence(of pending: SessionMachine.PendingSignOut) -> Outcome {
        let silent = asked.sorted().map { AppDataFailure(app: $0, code: .agentSilent) }
        return outcome(answered + silent, unreported: asked, of: pending)
    }

    /// - Parameter unreported: the apps of which nothing is known; the receipt does not say that their data failed.
    private func outcome(
        _ failures: [AppDataFailure], unreported: Set<String>, of pending: SessionMachine.PendingSignOut
    ) -> Outcome {
        let (apps, owing) = (pending.taking?.apps ?? [], pending.taking?.owing ?? [])
        // An app that has not erased may have data. If one of its folders is not there, it may be elsewhere.
        let unerased = owing.union(pending.commit.apps.filter { $0.value != .done }.keys)
        let harmless = apps.subtracting(unerased).union(ended)
        let absent = Set(failures.filter { $0.code == .missing }.map(\.app)).intersection(harmless)
        let failed = failures.filter { $0.code != .missing || !harmless.contains($0.app) }
        return Outcome(
            failures: failed + withheld,
            taken: Set(data.map(\.app)).subtracting(failed.map(\.app)).subtracting(ended),
            failed: Set(failed.map(\.app)).subtracting(ended).subtracting(unreported), absent: absent.subtracting(ended)
        )
    }
}
