// SPDX-License-Identifier: Apache-2.0
import BrokerIPC
import BrokerProtocol
import BrokerSupervisor
import DeviceSettings
import Processes
import Testing

/// Every order of events for an app with two processes that keeps a note of the worker in memory and on the disk. The
/// events reach from one worker's session to the end of the next worker's session. The exploration ends when no new
/// state is found. The session machine, the record of the apps' processes and the order to the agent are the shipped
/// types; the files, the agent and the processes are simulated. What happens within one process is explored by
/// `HandoverExploration`.
@Suite(.timeLimit(.minutes(5))) struct DataExploration {
    /// How the app takes part in the hand-over.
    enum Sample: CaseIterable {
        case foldersAndErasers
        /// The second process only reads.
        case foldersAndOneEraser
        case foldersOnly
        case erasersOnly

        var hasFolders: Bool { self != .erasersOnly }
        /// Whether other events may happen between the agent's work and its answer, and whether processes may read the
        /// notes meanwhile. With erasers in both processes, there would be several times as many states.
        /// `DataOrderTests` covers the cases that matter for such an app.
        var isAgentSlow: Bool { !hasEraser(1) }
        func hasEraser(_ slot: Int) -> Bool {
            switch self {
            case .foldersAndErasers, .erasersOnly: true
            case .foldersAndOneEraser: slot == 0
            case .foldersOnly: false
            }
        }
    }

    @Test(arguments: Sample.allCases)
    func `no order of events leads to a former worker's note in the next worker's session`(sample: Sample) {
        let first = DataScene(sample)
        var found: Set<DataScene> = [first]
        var queue = [first]
        var sessions = 0
        while let scene = queue.popLast(), found.count < 200_000 {
            for event in scene.events {
                var next = scene
                next.handle(event)
                guard next.leftover == nil, !next.hasFalseReceipt else {
                    Issue.record("\(event) in \(scene)")
                    return
                }
                if found.insert(next).inserted {
                    sessions += next.isSecondSession ? 1 : 0
                    queue.append(next)
                }
            }
        }
        #expect(queue.isEmpty, "there are more states")
        print("exploration of an app's data, \(sample): \(found.count) states, \(sessions) in the second session")
        #expect(found.count > 1000 && sessions > 50)
    }
}

/// The device, the app's processes, and what the app keeps.
private struct DataScene: Hashable {
    enum Event: Hashable {
        case signIn, authenticated, signOut, timeOver, sessionProcessKilled
        case brokerKilled(keyKept: Bool)
        /// The browser and the files are gone.
        case cleared
        /// The agent carries out its order; it may find a folder that it cannot move.
        case agentActs(isMoved: Bool)
        /// The agent's answer arrives while there is time for another order, or later.
        case agentAnswers(isInTime: Bool)
        /// The agent is not connected, or does not answer in time.
        case agentSilent
        case start(Int), use(Int), read(Int), write(Int), kill(Int)
        case erase(Int, isDone: Bool)
    }

    /// A set of workers whose notes are in one place.
    struct Workers: OptionSet, Hashable {
        let rawValue: Int

        init(rawValue: Int) { self.rawValue = rawValue }
        init(_ number: Int) { rawValue = 1 << number }
    }

    /// A process of the app. A process that hangs takes no step, and continues to show what it has in its memory.
    struct Process: Hashable {
        let name: ProcessTable.Name
        /// The workers whose notes the process has in its memory.
        var memory: Workers = []
    }

    private static let eraser: AppEraser = "app:notes"
    private static let app = eraser.bundleID
    private static let whole = AppEraser.whole(app)
    private static let folder = "/notes"
    /// The number of workers who sign in, one after the other.
    private static let workers = 2
    /// How often each process may start.
    private var starts: [Int] { sample == .foldersOnly ? [2, 1] : [1, 1] }
    private static let maximumEpoch: UInt64 = 4

    private let sample: DataExploration.Sample
    private var machine: SessionMachine
    private var journal: JournalRecord?
    private var worker = 0
    private var processes: [Process?] = [nil, nil]
    private var started = [0, 0]
    private var disk: Workers = []
    /// The record of processes that the broker has in its memory, and the one on the disk.
    private var (record, stored) = (AppProcessRecord(boot: ""), AppProcessRecord(boot: ""))
    private var locks: [AppEraser: Epoch] = [:]
    /// The order to the agent, until the agent has answered it.
    private var order: DataOrder?
    /// Why the agent could not take away the data in its order; empty if it could, nil if it has not carried out the
    /// order yet.
    private var answer: [AppDataFailure]?
    /// Whether a receipt has stated that the app's data is gone while the app still had some.
    private(set) var hasFalseReceipt = false

    init(_ sample: DataExploration.Sample) {
        self.sample = sample
        var random = Zeros()
        (machine, _) = SessionMachine.recover(from: nil, keyKept: false, random: &random)
        journal = .ready(machine.epoch)
    }

    /// Hashes only what differs most, which suffices: different places rarely have an equal hash.
    func hash(into hasher: inout Hasher) {
        for process in processes {
            hasher.combine(process?.name.startTime)
            hasher.combine(process?.memory.rawValue)
        }
        hasher.combine(started)
        hasher.combine(disk.rawValue + worker << 8 + locks.count << 24)
        hasher.combine(order?.asked.count)
        hasher.combine(answer?.count)
        hasher.combine(machine.epoch.counter)
        hasher.combine(machine.state.session?.restarts)
        hasher.combine(machine.state.session?.erasers.count)
        if let pending = machine.state.pending {
            hasher.combine(pending.items.count)
            hasher.combine(pending.commit.erasers[Self.eraser])
            hasher.combine(pending.isOverdue)
            hasher.combine(pending.waiting == nil)
            hasher.combine(pending.taking?.taken == nil)
        }
        hasher.combine(record)
    }

    var isSecondSession: Bool { worker == Self.workers && machine.state.heldEpoch != nil }

    /// The former workers whose notes can be shown or read in the present worker's session; nil if there are none. A
    /// locked app may keep notes on the disk, and in processes that the broker knows not to have erased their notes.
    var leftover: Workers? {
        guard machine.state.heldEpoch != nil else { return nil }
        let known = locks.reduce(into: Set<ProcessTable.Name>()) { known, lock in
            known.formUnion(record.unerased(of: Self.app, in: lock.value, isRunning: isRunning) ?? [])
            known.formUnion(record.unerased(lock.key, of: lock.value, isRunning: isRunning))
        }
        let shown = processes.reduce(into: Workers()) { shown, process in
            if let process, !known.contains(process.name) { shown.formUnion(process.memory) }
        }
        let left = (locks.isEmpty ? shown.union(disk) : shown).subtracting(Workers(worker))
        return left.isEmpty ? nil : left
    }

    private var isRunning: (ProcessTable.Name) -> Bool {
        { [processes] name in processes.contains { $0?.name == name } }
    }

    /// Changes the record as `AppProcesses` does: in memory, and immediately on the disk.
    private mutating func change<Result>(_ change: (inout AppProcessRecord) -> Result) -> Result {
        let before = record
        let result = change(&record)
        if record != before { stored = record }
        return result
    }

    /// The epoch about which the eraser is asked; nil if it is not asked.
    private var asked: Epoch? {
        if let lock = locks[Self.eraser] { return lock }
        guard let pending = machine.state.pending, pending.commit.unerased.contains(Self.eraser),
            pending.taking?.taken?.contains(Self.app) != true
        else { return nil }
        return pending.ended
    }

    private func isAsked(_ slot: Int, _ process: Process) -> Bool {
        guard let asked, sample.hasEraser(slot) else { return false }
        return !record.erased(Self.eraser, of: asked).contains(process.name)
    }

    var events: [Event] {
        var events: [Event] = []
        switch machine.state {
        case .ready: if mayBegin { events.append(.signIn) }
        case .signingIn: events.append(.authenticated)
        case .signedIn(let session):
            guard !isSecondSession else { break }
            events += [.signOut, .brokerKilled(keyKept: true)]
            if session.restarts == 0, processes == [nil, nil] { events.append(.sessionProcessKilled) }
        case .ending: break
        case .signingOut(let pending):
            if pending.waiting == nil, mayBegin { events.append(.signIn) }
            if !pending.isOverdue, !pending.awaited.isEmpty { events.append(.timeOver) }
            if pending.waiting != nil { events.append(.sessionProcessKilled) }
            if !pending.items.isEmpty { events.append(.cleared) }
            if order != nil { events += agentEvents }
        }
        // Before the first worker there is nothing to lose.
        if worker > 0, machine.epoch.counter < Self.maximumEpoch { events.append(.brokerKilled(keyKept: false)) }
        return events + processes.indices.flatMap(events(of:))
    }

    private var agentEvents: [Event] {
        guard answer == nil else { return [true, false].map { .agentAnswers(isInTime: $0) } + [.agentSilent] }
        return [.agentActs(isMoved: true), .agentSilent] + (sample.hasFolders ? [.agentActs(isMoved: false)] : [])
    }

    private var mayBegin: Bool { worker < Self.workers && machine.epoch.counter < Self.maximumEpoch }

    private func events(of slot: Int) -> [Event] {
        guard let process = processes[slot] else { return started[slot] < starts[slot] ? [.start(slot)] : [] }
        var events: [Event] = [.kill(slot)]
        let isGiven = process.memory.contains(Workers(worker))
        if machine.state.heldEpoch != nil, locks.isEmpty, !isGiven { events.append(.use(slot)) }
        if mayRead(process) { events.append(.read(slot)) }
        if !process.memory.isSubset(of: disk) { events.append(.write(slot)) }
        if isAsked(slot, process) { events += [.erase(slot, isDone: true), .erase(slot, isDone: false)] }
        return events
    }

    /// Whether a process may read the notes while they are being cleared. A process that has erased the notes does not:
    /// it has stated that it no longer keeps or shows anything of the ended session, and only the process itself could
    /// know whether that is true.
    private func mayRead(_ process: Process) -> Bool {
        guard let pending = machine.state.pending, locks.isEmpty, sample.isAgentSlow else { return false }
        return !disk.isSubset(of: process.memory)
            && !record.erased(Self.eraser, of: pending.ended).contains(process.name)
    }

    mutating func handle(_ event: Event) {
        switch event {
        case .signIn: perform(.signInRequested(SessionStep.worker))
        case .authenticated:
            worker += 1
            perform(.browserWanted(url: "http://127.0.0.1:1/x"))
            perform(.signInSucceeded)
        case .signOut: perform(.endWanted(.init(number: 1), .serverRevocation))
        case .timeOver: machine.state.pending.map { perform(.appsOverdue($0.ended)) }
        case .sessionProcessKilled: perform(.sessionProcessDied)
        case .brokerKilled(let keyKept):
            var random = Zeros()
            let (recovered, actions) = SessionMachine.recover(from: journal, keyKept: keyKept, random: &random)
            (machine, order, answer, record) = (recovered, nil, nil, stored)
            // Add to the record what was only in the journal.
            if let pending = machine.state.pending {
                record.complete(pending.commit.erasers.filter { $0.value == .done }.keys, of: pending.ended)
            }
            actions.forEach { note($0) }
            processEnded()
        case .cleared:
            guard let ended = machine.state.pending?.ended else { return }
            for item in SessionMachine.Item.allCases { perform(.itemCleared(item, ended)) }
        case .agentActs(let isMoved):
            agentActs(isMoved: isMoved)
            if !sample.isAgentSlow { agentAnswers(isInTime: true) }
        case .agentAnswers(let isInTime): agentAnswers(isInTime: isInTime)
        case .agentSilent: agentSilent()
        case .start(let slot):
            started[slot] += 1
            processes[slot] = Process(
                name: ProcessTable.Name(pid: Int32(slot + 1), startTime: UInt64(started[slot])))
        case .use(let slot): use(slot)
        case .read(let slot): read(slot)
        case .write(let slot): disk.formUnion(processes[slot]?.memory ?? [])
        case .kill(let slot):
            processes[slot] = nil
            processEnded()
        case .erase(let slot, let isDone): erase(slot, isDone: isDone)
        }
    }

    // MARK: The broker

    private mutating func perform(_ event: SessionMachine.Event) {
        machine.lingeringApps = isLingering ? [Self.app] : []
        machine.owingApps = sample.hasFolders && !locks.isEmpty ? [Self.app] : []
        var random = Zeros()
        let actions = machine.handle(event, random: &random)
        (machine.lingeringApps, machine.owingApps) = ([], [])
        actions.forEach { note($0) }
        noteGone()
    }

    private mutating func note(_ action: SessionAction) {
        switch action {
        case .journal(let written):
            journal = written
            guard case .ready = written else { break }
            change { [locks, isRunning] in $0.cleared(except: locks.isEmpty ? [] : [Self.app], isRunning: isRunning) }
            askInPlaceOfEnded()
        case .endSessionProcess: change { [isRunning] in $0.end(isRunning: isRunning) }
        case .lock(let erasers, let ended): for eraser in erasers { locks[eraser] = ended }
        case .takeData(let apps, let ended): order = newOrder(for: apps, of: ended)
        case .writeReceipt(let handover):
            let outcome = handover.items.first { $0.name == ItemOutcome.app(Self.app, .done).name }
            let kept = processes.reduce(into: disk) { $0.formUnion($1?.memory ?? []) }
            if outcome?.result == .done, kept.contains(Workers(worker)) { hasFalseReceipt = true }
        default: break
        }
    }

    /// Whether the app has processes that the agent must deal with, as `SessionCoordinator` decides.
    private var isLingering: Bool {
        guard let pending = machine.state.pending, pending.taking == nil else { return false }
        guard sample.hasFolders else {
            return record.silent(of: Self.app, in: pending.ended, isRunning: isRunning) != []
        }
        return pending.commit.dataHolders.contains(Self.app)
            && record.isLingering(Self.app, in: pending.ended, isRunning: isRunning)
    }

    private mutating func noteGone() {
        guard let pending = machine.state.pending else { return }
        let gone = record.gone(pending.commit.erasers.keys, in: pending.ended, isRunning: isRunning)
        if !gone.isSubset(of: pending.gone) { perform(.erasersGone(gone, pending.ended)) }
    }

    private mutating func processEnded() {
        if let asked {
            change { [isRunning] in $0.askAgain(Self.eraser, of: asked, isRunning: isRunning) }
            if record.answer(of: Self.eraser, in: asked, isRunning: isRunning) == .done { settle(.done, of: asked) }
        }
        askInPlaceOfEnded()
        noteGone()
    }

    /// If the app was locked because another process kept running, and that process has ended since then, asks the
    /// eraser.
    private mutating func askInPlaceOfEnded() {
        guard let ended = locks[Self.whole] else { return }
        let erasers = change { [isRunning] in $0.askAnew(Self.app, of: ended, isRunning: isRunning) }
        guard !erasers.isEmpty else { return }
        locks[Self.whole] = nil
        for eraser in erasers { locks[eraser] = ended }
    }

    private mutating func settle(_ answer: Commit.Answer, of ended: Epoch) {
        guard answer != .awaited else { return }
        perform(.eraserAnswered(Self.eraser, hasErased: answer == .done, ended))
        if answer == .done, locks[Self.eraser] == ended { locks[Self.eraser] = nil }
    }

    // MARK: The agent

    private func newOrder(for apps: [String], of ended: Epoch) -> DataOrder {
        DataOrder(
            for: apps, of: ended, folders: sample.hasFolders ? [Self.app: [Self.folder]] : [:],
            dataHolders: machine.state.pending?.commit.dataHolders ?? [], until: .zero, record, isRunning: isRunning)
    }

    private mutating func agentActs(isMoved: Bool) {
        let data = order?.askedData ?? []
        let victims = data.flatMap(\.processes)
        processes = processes.map { process in process.flatMap { victims.contains($0.name) ? nil : $0 } }
        if isMoved, data.contains(where: { !$0.folders.isEmpty }) { disk = [] }
        answer = isMoved ? [] : data.map { AppDataFailure(app: $0.app, code: .notMoved) }
        processEnded()
    }

    private mutating func agentAnswers(isInTime: Bool) {
        guard let pending = machine.state.pending, let taking = pending.taking, let order, let answer else { return }
        let again = newOrder(for: taking.apps.sorted(), of: pending.ended)
        let grown = again.grown(since: order)
        guard isInTime, !grown.isEmpty else {
            return conclude(order.outcome(answer, grown: grown, of: pending), of: pending)
        }
        (self.order, self.answer) = (again.again(grown, after: order, answer), nil)
    }

    private mutating func agentSilent() {
        guard let order, let pending = machine.state.pending else { return }
        conclude(order.outcomeOfSilence(of: pending), of: pending)
    }

    private mutating func conclude(_ outcome: DataOrder.Outcome, of pending: SessionMachine.PendingSignOut) {
        (order, answer) = (nil, nil)
        locks = locks.filter { !outcome.taken.contains($0.key.bundleID) }
        perform(.dataTaken(outcome.taken, failed: outcome.failed, absent: outcome.absent, pending.ended))
    }

    // MARK: The app

    /// A process is given data of the worker, makes a note of the worker, and reads the app's notes.
    private mutating func use(_ slot: Int) {
        guard let name = processes[slot]?.name, let epoch = machine.state.heldEpoch else { return }
        if sample.hasFolders {
            change { [isRunning] in $0.note(name, of: Self.app, isRunning: isRunning) }
            perform(.dataHolderArrived(Self.app, epoch))
        }
        if sample.hasEraser(slot) {
            let isRegistered = change { [isRunning] in
                $0.register(name, for: Self.eraser, in: epoch, isRunning: isRunning)
            }
            guard isRegistered else { return }
            perform(.eraserEnlisted(Self.eraser, epoch))
        }
        disk.insert(Workers(worker))
        processes[slot]?.memory.formUnion(disk)
    }

    /// A process asks who is signed in while the session is being cleared, and reads the app's notes.
    private mutating func read(_ slot: Int) {
        guard let name = processes[slot]?.name else { return }
        change { [isRunning] in $0.noteLate(name, of: Self.app, isRunning: isRunning) }
        processes[slot]?.memory.formUnion(disk)
    }

    /// A process erases all notes that are not about the present worker, or fails to. Once it is asked, it no longer
    /// shows a former worker's notes.
    private mutating func erase(_ slot: Int, isDone: Bool) {
        guard let name = processes[slot]?.name, let asked else { return }
        let present: Workers = machine.state.heldEpoch == nil ? [] : Workers(worker)
        processes[slot]?.memory.formIntersection(present)
        if isDone { disk.formIntersection(present) }
        let answer = record.answer(Self.eraser, name, hasErased: isDone, of: asked, isRunning: isRunning)
        // If all of the data is erased, only the journal records it.
        if answer != .done { stored = record }
        settle(answer, of: asked)
    }
}
