// SPDX-License-Identifier: Apache-2.0
package import BrokerIPC
package import BrokerProtocol
package import Processes

/// An order to the agent to end the processes of apps that have not erased a worker's data, and to take the apps'
/// folders away.
package struct DataOrder: Hashable, Sendable {
    /// The processes to end and the folders to take away, for every app of the order.
    package let data: [AppData]
    /// The apps about which the agent has not answered, or must answer again.
    package private(set) var asked: Set<String>
    /// What the agent has answered about the other apps.
    private var answered: [AppDataFailure] = []
    /// The apps without folders: only their processes are ended.
    private let ended: Set<String>
    /// For each app, the processes that had not erased the data when the order was made, including those that had
    /// ended.
    private let known: [String: Set<ProcessTable.Name>]
    /// The moment after which nothing is moved, as the time since the machine was started.
    package let deadline: Duration
    /// Why the data of some apps is left out of the order.
    private let withheld: [AppDataFailure]

    /// - Parameters:
    ///   - folders: the paths of the apps' folders of data.
    ///   - dataHolders: the apps with folders that were given data of the worker.
    ///   - isRunning: whether a process is not known to have ended.
    package init(
        for apps: [String], of epoch: Epoch, folders: [String: Set<String>], dataHolders: Set<String>,
        until deadline: Duration, _ record: AppProcessRecord, isRunning: (ProcessTable.Name) -> Bool
    ) {
        var data: [AppData] = []
        var withheld: [AppDataFailure] = []
        var only: Set<String> = []
        for app in apps {
            let folders = folders[app, default: []]
            if folders.isEmpty, !dataHolders.contains(app) {
                only.insert(app)
                if let processes = record.silent(of: app, in: epoch, isRunning: isRunning) {
                    data.append(AppData(app: app, folders: [], processes: Self.sorted(processes)))
                } else {
                    withheld.append(AppDataFailure(app: app, code: .tooManyProcesses))
                }
            } else if folders.isEmpty {
                withheld.append(AppDataFailure(app: app, code: .unnamed))
            } else if !record.hasAllFolders(of: app) {
                withheld.append(AppDataFailure(app: app, code: .tooManyFolders))
            } else if !record.isComplete {
                // An unknown process could write the data again.
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

    /// The same order, in which the agent is asked only about the apps in `grown`.
    package func again(_ grown: Set<String>, after earlier: DataOrder, _ answered: [AppDataFailure]) -> DataOrder {
        var order = self
        order.asked = grown
        order.answered = (earlier.answered + answered).filter { !grown.contains($0.app) }
        return order
    }

    /// The apps of an earlier order that have gained processes since then, or that have a process which must erase the
    /// data again. Even if such a process has ended, it may have read the data before the data was taken away, and
    /// written it again.
    package func grown(since earlier: DataOrder) -> Set<String> {
        let grown = data.filter { earlier.known[$0.app]?.isSuperset(of: known[$0.app, default: []]) == false }
        return Set(grown.map(\.app) + withheld.map(\.app)).intersection(earlier.known.keys)
    }

    /// The outcome of an order.
    package struct Outcome: Sendable {
        /// Why data is still in its place.
        package let failures: [AppDataFailure]
        /// The apps whose data was taken away.
        package let taken: Set<String>
        /// The apps for which the receipt states that their data could not be taken.
        package let failed: Set<String>
        /// The apps that have no eraser and for which a folder was missing. They are not locked, and the receipt does
        /// not mention them, because nobody knows where their data is.
        package let absent: Set<String>
    }

    /// The outcome after the agent has answered.
    ///
    /// - Parameter grown: the apps that have gained processes since the order and for which the agent has no time left.
    package func outcome(
        _ answer: [AppDataFailure], grown: Set<String>, of pending: SessionMachine.PendingSignOut
    ) -> Outcome {
        let left = grown.sorted().map { AppDataFailure(app: $0, code: .processLeft) }
        return outcome(left + answered + answer, unreported: [], of: pending)
    }

    /// The outcome if the agent has not answered in time: it is unknown what the agent has done.
    package func outcomeOfSilence(of pending: SessionMachine.PendingSignOut) -> Outcome {
        let silent = asked.sorted().map { AppDataFailure(app: $0, code: .agentSilent) }
        return outcome(answered + silent, unreported: asked, of: pending)
    }

    /// - Parameter unreported: the apps about which nothing is known; the receipt does not state that taking their data
    ///   failed.
    private func outcome(
        _ failures: [AppDataFailure], unreported: Set<String>, of pending: SessionMachine.PendingSignOut
    ) -> Outcome {
        let (apps, owing) = (pending.taking?.apps ?? [], pending.taking?.owing ?? [])
        // An app that has not erased its data may still have it. If one of the app's folders does not exist, the data
        // may be elsewhere.
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
