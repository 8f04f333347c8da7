// SPDX-License-Identifier: Apache-2.0
internal import BrokerIPC
internal import BrokerProtocol
internal import DeviceHTTPS
internal import DeviceSettings
internal import Logging
internal import Processes
internal import SessionIPC

/// Owns the removal of data that apps have not erased: the agent ends the apps' processes, then takes the apps' folders
/// away. An app whose data is still there afterwards is locked.
final class AppDataRemoval {
    /// The processes that the agent ended most recently.
    private(set) var endedProcesses: [EndedProcess] = []
    /// The apps that have no eraser and for which a folder was missing at the last sign-out.
    private(set) var appsWithoutFolder: Set<String> = []
    /// What the agent was told to take away, until it has answered.
    private var dataOrder: DataOrder?
    private let device: ConfiguredDevice
    private let locks: AppLocks
    private let processes: AppProcesses
    private let questions: ErasureQuestions
    private let facts: ReceiptFacts
    private let agent: ConnectedAgent
    private let sessionProcess: SessionProcess
    private let clock: SupervisorClock
    private let timer: InputTimer
    private let logger: Logger

    /// How long the agent may take to end processes and move folders. It answers within one second after that time.
    private static let patience = Duration.seconds(4)
    /// The number of ended processes that the doctor shows.
    private static let maximumEnds = 8

    init(
        device: ConfiguredDevice, locks: AppLocks, processes: AppProcesses, questions: ErasureQuestions,
        facts: ReceiptFacts, agent: ConnectedAgent, sessionProcess: SessionProcess, clock: SupervisorClock,
        timer: InputTimer, logger: Logger
    ) {
        (self.device, self.locks, self.processes, self.questions) = (device, locks, processes, questions)
        (self.facts, self.agent, self.sessionProcess) = (facts, agent, sessionProcess)
        (self.clock, self.timer, self.logger) = (clock, timer, logger)
    }

    // MARK: - Who keeps data

    /// Notes the folders in the registrations of the apps that keep data.
    func noteFolders(in state: SessionMachine.State) throws {
        for app in state.session?.dataHolders ?? [] { try processes.note(paths(of: app), of: app) }
    }

    /// The paths of the folders in an app's present registration.
    private func paths(of app: String) -> Set<String> { Set((device.dataFolders[app] ?? []).map(\.path)) }

    /// The locked apps that have folders of data.
    var owingApps: Set<String> { Set(locks.apps).intersection(device.dataFolders.keys) }

    /// The apps with processes that may hold, or may have left, data that is not erased. An app with folders is one of
    /// them if it was given data of the worker and has a process other than those that have erased the data. Any other
    /// app of the session's user is one of them if a running process has registered a named eraser and has not
    /// answered.
    func lingeringApps(in state: SessionMachine.State) -> Set<String> {
        guard let pending = state.pending, pending.taking == nil else { return [] }
        let ended = pending.ended
        let dataHolders = pending.commit.dataHolders.filter { processes.isLingering($0, in: ended) }
        let others = Set(pending.commit.apps.keys).subtracting(pending.commit.dataHolders)
            .intersection(device.sessionApps)
        return dataHolders.union(others.filter { processes.silent(of: $0, in: ended) != [] })
    }

    // MARK: - Taking it away

    /// Begins to take away the data of these apps.
    ///
    /// - Returns: the outcome if there is nothing to order; otherwise nil.
    func take(
        _ apps: [String], of ended: Epoch, in state: SessionMachine.State
    ) throws -> DataOrder.Outcome? {
        let order = order(for: apps, of: ended, until: clock.sinceBoot() + Self.patience, in: state)
        dataOrder = order
        guard !order.data.isEmpty else { return try answered([], of: ended, in: state) }
        timer.post(.dataOverdue(ended), after: Self.patience + .seconds(1))
        sendOrder(in: state)
        return nil
    }

    private func order(
        for apps: [String], of ended: Epoch, until deadline: Duration, in state: SessionMachine.State
    ) -> DataOrder {
        let folders = apps.map { ($0, processes.folders(of: $0).union(paths(of: $0))) }
        return processes.order(
            for: apps, of: ended, folders: Dictionary(uniqueKeysWithValues: folders),
            dataHolders: state.pending?.commit.dataHolders ?? [], until: deadline)
    }

    /// Sends the order to the agent, or sends it again to an agent that has connected since the order was made.
    func sendOrder(in state: SessionMachine.State) {
        guard let pending = state.pending, let taking = pending.taking, taking.taken == nil, let dataOrder
        else { return }
        agent.link?.take(dataOrder.askedData, of: pending.ended, until: dataOrder.deadline)
    }

    /// Handles the end of the agent's time.
    ///
    /// - Returns: the outcome of the order; nil if the agent's time for this epoch is not over.
    func overdue(_ ended: Epoch, in state: SessionMachine.State) throws -> DataOrder.Outcome? {
        guard let pending = state.pending, pending.ended == ended, let taking = pending.taking,
            taking.taken == nil, let dataOrder
        else { return nil }
        return try conclude(dataOrder.outcomeOfSilence(of: pending))
    }

    /// Handles the agent's answer.
    ///
    /// - Returns: the outcome of the order; nil if the agent must answer again, or has not been asked.
    func answered(
        _ failures: [AppDataFailure], of ended: Epoch, in state: SessionMachine.State
    ) throws -> DataOrder.Outcome? {
        guard let pending = state.pending, pending.ended == ended, let taking = pending.taking,
            taking.taken == nil, let dataOrder
        else { return nil }
        noteEnds(by: dataOrder, except: failures, of: ended)
        // A process that has connected since the order may have read the data before it was taken away.
        let again = order(for: taking.apps.sorted(), of: ended, until: dataOrder.deadline, in: state)
        let grown = again.grown(since: dataOrder)
        guard grown.isEmpty || clock.sinceBoot() >= dataOrder.deadline else {
            self.dataOrder = again.again(grown, after: dataOrder, failures)
            sendOrder(in: state)
            return nil
        }
        return try conclude(dataOrder.outcome(failures, grown: grown, of: pending))
    }

    /// Records the outcome of the agent's work.
    private func conclude(_ outcome: DataOrder.Outcome) throws -> DataOrder.Outcome {
        try note(outcome.failures)
        for app in outcome.taken {
            facts.mark(ItemOutcome.data(of: app, .done).name, isLater: true)
        }
        dataOrder = nil
        appsWithoutFolder = outcome.absent
        // What an earlier session left in these folders was taken away as well.
        try locks.unlock(outcome.taken)
        sessionProcess.tell(.locks(locks.epochs))
        return outcome
    }

    private func note(_ failures: [AppDataFailure]) throws {
        try locks.note(failures)
        for failure in failures {
            logger.error(
                "the data of an app is still in its place",
                metadata: ["app": "\(failure.app)", "error.code": "\(failure.code.rawValue)"])
        }
    }

    /// Logs the processes that the agent has ended, and keeps the last ones for the doctor.
    private func noteEnds(by order: DataOrder, except failures: [AppDataFailure], of epoch: Epoch) {
        let left: Set<AppDataFailure.Code> = [.processLeft, .tooManyProcesses, .unknownProcesses, .agentSilent]
        let failed = Set(failures.filter { left.contains($0.code) }.map(\.app))
        for data in order.data where order.asked.contains(data.app) && !failed.contains(data.app) {
            for process in data.processes.sorted(by: { $0.pid < $1.pid }) {
                let end = EndedProcess(
                    app: data.app, pid: process.pid, erasers: processes.owed(by: process, of: data.app, in: epoch))
                logger.warning(
                    "an app's process that had not erased was ended",
                    metadata: ["app": "\(end.app)", "process.id": "\(end.pid)", "eraser": "\(end.eraserText)"])
                endedProcesses = (endedProcesses + [end]).suffix(Self.maximumEnds)
            }
        }
    }

    // MARK: - The end

    /// Locks the apps of these erasers until each eraser has erased its data of this epoch.
    func lock(_ erasers: [AppEraser], until ended: Epoch) throws {
        try locks.lock(erasers, until: ended)
        sessionProcess.tell(.locks(locks.epochs))
    }

    /// Forgets what belonged to the ended session, because the device is ready.
    func ready(in state: SessionMachine.State) throws {
        try processes.cleared(except: locks.apps)
        try locks.forgetUnlocked()
        try questions.askInPlaceOfEnded(during: state.pending)
        questions.tell(during: state.pending)
    }
}
