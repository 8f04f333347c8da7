// SPDX-License-Identifier: Apache-2.0
internal import BrokerDevice
internal import BrokerIPC
internal import BrokerProtocol
internal import Logging
internal import Processes

/// The data of apps that have not erased it: the agent ends the apps' processes and takes their folders away.
extension SessionCoordinator {
    /// How long the agent may end processes and move folders. It answers within the second after that.
    private static let patience = Duration.seconds(4)

    /// An order to the agent.
    struct DataOrder {
        /// All apps of the sign-out.
        let data: [AppData]
        /// The apps about which the agent has not answered, or must answer again.
        var asked: Set<String>
        /// What the agent has answered about the others.
        var answered: [AppDataFailure] = []
        /// The apps without folders, of which only processes are ended.
        let ended: Set<String>
        /// The time since the machine was started after which nothing is moved.
        let deadline: Duration
        /// Why the data of other apps is not in the order.
        let withheld: [AppDataFailure]

        init(_ data: [AppData], ended: Set<String>, deadline: Duration, withheld: [AppDataFailure]) {
            (self.data, self.ended, self.deadline, self.withheld) = (data, ended, deadline, withheld)
            asked = Set(data.map(\.app))
        }

        /// The same with only those apps to be ordered again that have grown.
        func again(_ grown: Set<String>, after earlier: DataOrder, _ answered: [AppDataFailure]) -> DataOrder {
            var order = self
            order.asked = grown
            order.answered = (earlier.answered + answered).filter { !grown.contains($0.app) }
            return order
        }

        /// The apps of an earlier order that have got processes since.
        func grown(since earlier: DataOrder) -> Set<String> {
            let known = Dictionary(uniqueKeysWithValues: earlier.data.map { ($0.app, Set($0.processes)) })
            let grown = data.filter { known[$0.app]?.isSuperset(of: $0.processes) == false }.map(\.app)
            return Set(grown + withheld.map(\.app)).intersection(known.keys)
        }
    }

    // MARK: Who keeps data

    /// Notes that an app with folders of data is about to be given something of this epoch's worker.
    ///
    /// - Returns: whether the app may be given it.
    func note(_ app: String, _ process: ProcessTable.Name, in epoch: Epoch) throws -> Bool {
        guard machine.state.heldEpoch == epoch else {
            // An app of the session that is being cleared has connected again.
            if machine.state.pending != nil {
                try appProcesses.noteLate(process, of: app)
                watchProcesses()
            }
            return false
        }
        try appProcesses.note(process, of: app)
        try handle(.keeperArrived(app, epoch))
        noteFolders()
        return machine.state.session?.keepers.contains(app) == true
    }

    /// Notes the folders in the registrations of the apps that keep data.
    func noteFolders() {
        for app in machine.state.session?.keepers ?? [] {
            keepersFolders[app, default: []].formUnion(device.dataFolders[app] ?? [])
        }
    }

    // MARK: Processes that go on

    /// The apps of whose processes some go on that have not erased: of the apps with folders, any that was given something
    /// of the worker and has, or may have left, more than the others have erased. Of the other apps of the session's user,
    /// any that has registered a named eraser and does not answer.
    var lingeringApps: Set<String> {
        guard let pending = machine.state.pending, pending.taking == nil else { return [] }
        let ended = pending.ended
        let keepers = pending.commit.keepers.filter { appProcesses.isLingering($0, in: ended) }
        let others = Set(pending.commit.apps.keys).subtracting(pending.commit.keepers).intersection(device.sessionApps)
        return keepers.union(others.filter { appProcesses.silent(of: $0, in: ended) != [] })
    }

    // MARK: Taking it away

    func takeData(of apps: [String], _ ended: Epoch) throws {
        let order = order(for: apps, of: ended, until: clock.sinceBoot() + Self.patience)
        dataOrder = order
        guard !order.data.isEmpty else { return try dataTaken(of: ended, []) }
        timer.post(.dataOverdue(ended), after: Self.patience + .seconds(1))
        orderData()
    }

    private func order(for apps: [String], of ended: Epoch, until deadline: Duration) -> DataOrder {
        var data: [AppData] = []
        var withheld: [AppDataFailure] = []
        let keepers = machine.state.pending?.commit.keepers ?? []
        var only: Set<String> = []
        for app in apps {
            let folders = keepersFolders[app, default: []].union(device.dataFolders[app] ?? [])
            if folders.isEmpty, !keepers.contains(app) {
                only.insert(app)
                if let processes = appProcesses.silent(of: app, in: ended) {
                    data.append(AppData(app: app, folders: [], processes: Array(processes)))
                } else {
                    withheld.append(AppDataFailure(app: app, code: .tooManyProcesses))
                }
            } else if folders.isEmpty {
                withheld.append(AppDataFailure(app: app, code: .unnamed))
            } else if !appProcesses.isComplete {
                // A process that nobody knows could write the data again.
                withheld.append(AppDataFailure(app: app, code: .unknownProcesses))
            } else if let processes = appProcesses.unerased(of: app, in: ended) {
                let paths = folders.map(\.path).sorted()
                data.append(AppData(app: app, folders: paths, processes: Array(processes)))
            } else {
                withheld.append(AppDataFailure(app: app, code: .tooManyProcesses))
            }
        }
        return DataOrder(data, ended: only, deadline: deadline, withheld: withheld)
    }

    /// Sends the order to the agent, or again to one that has connected since.
    func orderData() {
        guard let pending = machine.state.pending, let taking = pending.taking, taking.taken == nil, let dataOrder
        else { return }
        let data = dataOrder.data.filter { dataOrder.asked.contains($0.app) }
        browser.take(data, of: pending.ended, until: dataOrder.deadline)
    }

    /// Handles the end of the agent's time.
    func dataOverdue(_ ended: Epoch) throws {
        guard let pending = machine.state.pending, pending.ended == ended, let taking = pending.taking,
            taking.taken == nil, let dataOrder
        else { return }
        let silent = dataOrder.asked.sorted().map { AppDataFailure(app: $0, code: .agentSilent) }
        try conclude(dataOrder, dataOrder.answered + silent, unreported: dataOrder.asked, of: pending, taking: taking)
    }

    /// Handles the agent's answer.
    func dataTaken(of ended: Epoch, _ answered: [AppDataFailure]) throws {
        guard let pending = machine.state.pending, pending.ended == ended, let taking = pending.taking,
            taking.taken == nil, let dataOrder
        else { return }
        noteEnds(by: dataOrder, except: answered, of: ended)
        // A process that has connected since the order may have read the data before it was taken away.
        let again = order(for: taking.apps.sorted(), of: ended, until: dataOrder.deadline)
        let grown = again.grown(since: dataOrder)
        guard grown.isEmpty || clock.sinceBoot() >= dataOrder.deadline else {
            self.dataOrder = again.again(grown, after: dataOrder, answered)
            return orderData()
        }
        let failures =
            grown.sorted().map { AppDataFailure(app: $0, code: .processLeft) } + dataOrder.answered + answered
        try conclude(dataOrder, failures, of: pending, taking: taking)
    }

    /// Ends the agent's work.
    ///
    /// - Parameter unreported: the apps of which nothing is known; the receipt does not say that their data failed.
    private func conclude(
        _ dataOrder: DataOrder, _ failures: [AppDataFailure], unreported: Set<String> = [],
        of pending: SessionMachine.PendingSignOut, taking: SessionMachine.DataTaking
    ) throws {
        // An app that has not erased may have data. If none of its folders is there, it is elsewhere.
        let unerased = taking.owing.union(pending.commit.apps.filter { $0.value != .done }.keys)
        let harmless = taking.apps.subtracting(unerased).union(dataOrder.ended)
        let failed = failures.filter { $0.code != .missing || !harmless.contains($0.app) }
        try note(failed + dataOrder.withheld)
        let taken = Set(dataOrder.data.map(\.app)).subtracting(failed.map(\.app)).subtracting(dataOrder.ended)
        for app in taken {
            receipts.mark(ItemOutcome.data(of: app, .done).name, isLater: true)
        }
        self.dataOrder = nil
        // What an earlier session left in these folders is away, too.
        try locks.unlock(taken)
        sessionProcess.tell(.locks(locks.epochs))
        let reported = Set(failed.map(\.app)).subtracting(dataOrder.ended).subtracting(unreported)
        try handle(.dataTaken(taken, failed: reported, pending.ended))
    }

    /// Unlocks an app whose former worker's data was removed by hand.
    ///
    /// - Returns: whether the app was locked.
    func unlock(_ app: String) throws -> Bool {
        guard locks.isLocked(app) else { return false }
        try locks.unlock([app])
        logger.notice("an operator has unlocked an app", metadata: ["app": "\(app)"])
        sessionProcess.tell(.locks(locks.epochs))
        tellAsked()
        return true
    }

    private func note(_ failures: [AppDataFailure]) throws {
        try locks.note(failures)
        for failure in failures {
            logger.error(
                "the data of an app is still in its place",
                metadata: ["app": "\(failure.app)", "error.code": "\(failure.code.rawValue)"])
        }
    }
}
