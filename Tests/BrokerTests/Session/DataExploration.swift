// SPDX-License-Identifier: Apache-2.0
import BrokerDevice
import BrokerProtocol
import BrokerSupervisor
import Processes
import Testing

/// Every order of events for an app that keeps a note of the worker in its memory and on the disk, in two processes: from
/// one worker's session to the next one's and its end, until no new state is found. The session machine and what is known
/// of an eraser's processes are the shipped types; the journal, the agent, the disk and the processes are simulated. What
/// happens within one process is explored by `HandoverExploration`.
@Suite(.timeLimit(.minutes(5))) struct DataExploration {
    /// How the app takes part in the hand-over.
    enum Sample: CaseIterable {
        case foldersAndErasers
        /// The second process only reads.
        case foldersAndOneEraser
        case foldersOnly
        case erasersOnly

        var hasFolders: Bool { self != .erasersOnly }
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
        /// The agent is away, or says nothing in its time.
        case agentSilent
        case start(Int), use(Int), write(Int), kill(Int), stop(Int), resume(Int)
        case erase(Int, isDone: Bool)
    }

    /// The workers whose notes are somewhere.
    struct Workers: OptionSet, Hashable {
        let rawValue: Int

        init(rawValue: Int) { self.rawValue = rawValue }
        init(_ number: Int) { rawValue = 1 << number }
    }

    /// A process of the app. A stopped one goes on to show what it has in its memory.
    struct Process: Hashable {
        let name: ProcessTable.Name
        var isStopped = false
        /// Whether the agent should have ended it, and was silent. The app is locked meanwhile.
        var isSpared = false
        /// The workers whose notes it has.
        var memory: Workers = []
    }

    private static let eraser: AppEraser = "app:notes"
    private static let app = eraser.bundleID
    private static let whole = AppEraser.whole(app)
    /// The numbers of the two workers who sign in, one after the other.
    private static let workers = 2
    /// How often each process may start.
    private var starts: [Int] { sample == .foldersOnly ? [2, 1] : [1, 1] }
    private static let maximumEpoch: UInt64 = 4

    private let sample: DataExploration.Sample
    private var machine: SessionMachine
    private var record: JournalRecord?
    private var worker = 0
    private var processes: [Process?] = [nil, nil]
    private var started = [0, 0]
    private var disk: Workers = []
    /// The processes that made a request as the app, as far as the record of processes has not been cleared.
    private var noted: Set<ProcessTable.Name> = []
    private var erasers: EraserProcesses?
    private var locks: [AppEraser: Epoch] = [:]
    /// Whether the agent has an order that it has not carried out.
    private var hasOrder = false
    /// Whether a receipt has said that the app's data is gone while the app had some.
    private(set) var hasFalseReceipt = false

    init(_ sample: DataExploration.Sample) {
        self.sample = sample
        var random = Zeros()
        (machine, _) = SessionMachine.recover(from: nil, keyKept: false, random: &random)
        record = .ready(machine.epoch)
    }

    /// Hashes what differs most: equal places are rare among those with an equal hash.
    func hash(into hasher: inout Hasher) {
        for process in processes {
            hasher.combine(process?.name.startTime)
            hasher.combine(process?.isStopped)
            hasher.combine(process?.isSpared)
            hasher.combine(process?.memory.rawValue)
        }
        hasher.combine(started)
        hasher.combine(disk.rawValue + worker << 8 + noted.count << 16 + locks.count << 24 + (hasOrder ? 1 << 32 : 0))
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
        hasher.combine(erasers?.registered.count)
        hasher.combine(erasers?.erased.count)
        hasher.combine(erasers?.silent.count)
    }

    var isSecondSession: Bool { worker == Self.workers && machine.state.heldEpoch != nil }

    /// What of a former worker can be shown or read in the present worker's session; nil if nothing can.
    var leftover: Workers? {
        guard machine.state.heldEpoch != nil else { return nil }
        let shown = processes.reduce(into: Workers()) { shown, process in
            if process?.isSpared != true || locks.isEmpty { shown.formUnion(process?.memory ?? []) }
        }
        let left = (locks.isEmpty ? shown.union(disk) : shown).subtracting(Workers(worker))
        return left.isEmpty ? nil : left
    }

    private func isRunning(_ name: ProcessTable.Name) -> Bool { processes.contains { $0?.name == name } }

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
        return erasers?.epoch != asked || erasers?.erased.contains(process.name) == false
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
            if hasOrder { events += [.agentActs(isMoved: true), .agentSilent] }
            if hasOrder, sample.hasFolders { events.append(.agentActs(isMoved: false)) }
        }
        if machine.epoch.counter < Self.maximumEpoch { events.append(.brokerKilled(keyKept: false)) }
        return events + processes.indices.flatMap(events(of:))
    }

    private var mayBegin: Bool { worker < Self.workers && machine.epoch.counter < Self.maximumEpoch }

    private func events(of slot: Int) -> [Event] {
        guard let process = processes[slot] else { return started[slot] < starts[slot] ? [.start(slot)] : [] }
        guard !process.isStopped else { return [.kill(slot), .resume(slot)] }
        // The other one may hang.
        var events: [Event] = slot == 0 ? [.kill(slot)] : [.kill(slot), .stop(slot)]
        let isGiven = process.memory.contains(Workers(worker))
        if machine.state.heldEpoch != nil, locks.isEmpty, !isGiven { events.append(.use(slot)) }
        if !process.memory.isSubset(of: disk) { events.append(.write(slot)) }
        if isAsked(slot, process) { events += [.erase(slot, isDone: true), .erase(slot, isDone: false)] }
        return events
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
            let (recovered, actions) = SessionMachine.recover(from: record, keyKept: keyKept, random: &random)
            (machine, hasOrder) = (recovered, false)
            actions.forEach { note($0) }
            processEnded()
        case .cleared:
            guard let ended = machine.state.pending?.ended else { return }
            for item in SessionMachine.Item.allCases { perform(.itemCleared(item, ended)) }
        case .agentActs(let isMoved): agentActs(isMoved: isMoved)
        case .agentSilent: agentSilent()
        case .start(let slot):
            started[slot] += 1
            processes[slot] = Process(
                name: ProcessTable.Name(pid: Int32(slot + 1), startTime: UInt64(started[slot])))
        case .use(let slot): use(slot)
        case .write(let slot): disk.formUnion(processes[slot]?.memory ?? [])
        case .kill(let slot):
            processes[slot] = nil
            processEnded()
        case .stop(let slot): processes[slot]?.isStopped = true
        case .resume(let slot): processes[slot]?.isStopped = false
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
            if case .signedIn = record, case .signingOut = written { noted = noted.filter(isRunning) }
            record = written
            guard case .ready = written else { break }
            if locks.isEmpty { (noted, erasers) = ([], nil) } else { noted = noted.filter(isRunning) }
            askInPlaceOfEnded()
        case .lock(let erasers, let ended): for eraser in erasers { locks[eraser] = ended }
        case .takeData: hasOrder = true
        case .writeReceipt(let handover):
            let outcome = handover.items.first { $0.name == ItemOutcome.app(Self.app, .done).name }
            let kept = processes.reduce(into: disk) { $0.formUnion($1?.memory ?? []) }
            if outcome?.result == .done, kept.contains(Workers(worker)) { hasFalseReceipt = true }
        default: break
        }
    }

    /// Whether the app has processes that the agent must look after, as `SessionCoordinator` decides.
    private var isLingering: Bool {
        guard let pending = machine.state.pending, pending.taking == nil else { return false }
        guard sample.hasFolders else { return !lingering.isEmpty }
        let own = erasers?.epoch == pending.ended ? erasers : nil
        return pending.commit.keepers.contains(Self.app)
            && noted.contains { own?.registered.contains($0) != true || lingering.contains($0) }
    }

    /// The processes that the agent is told to end.
    private var lingering: Set<ProcessTable.Name> {
        guard let pending = machine.state.pending, pending.taking?.taken == nil else { return [] }
        let own = erasers?.epoch == pending.ended ? erasers : nil
        if sample.hasFolders {
            guard pending.commit.keepers.contains(Self.app) || !locks.isEmpty else { return [] }
            let erased = own.map { $0.registered.intersection($0.erased) } ?? []
            return noted.subtracting(erased).filter(isRunning)
        }
        return own?.silent.filter(isRunning) ?? []
    }

    private mutating func noteGone() {
        guard let pending = machine.state.pending, let erasers, erasers.epoch == pending.ended,
            erasers.isGone(isRunning: isRunning), !pending.gone.contains(Self.eraser)
        else { return }
        perform(.erasersGone([Self.eraser], pending.ended))
    }

    private mutating func processEnded() {
        if let asked, var known = erasers, known.epoch == asked {
            _ = known.askAgain(isRunning: isRunning)
            erasers = known
            if known.answer(isRunning: isRunning) == .done { settle(.done, of: asked) }
        }
        askInPlaceOfEnded()
        noteGone()
    }

    /// Asks the eraser if the app was locked because another process went on, and that has ended.
    private mutating func askInPlaceOfEnded() {
        guard let ended = locks[Self.whole], var known = erasers, known.epoch == ended,
            !noted.subtracting(known.registered).contains(where: isRunning)
        else { return }
        known.askAnew()
        (erasers, locks[Self.whole], locks[Self.eraser]) = (known, nil, ended)
    }

    private mutating func settle(_ answer: Commit.Answer, of ended: Epoch) {
        guard answer != .awaited else { return }
        perform(.eraserAnswered(Self.eraser, hasErased: answer == .done, ended))
        if answer == .done, locks[Self.eraser] == ended { locks[Self.eraser] = nil }
    }

    // MARK: The agent

    private mutating func agentActs(isMoved: Bool) {
        guard let pending = machine.state.pending else { return }
        let victims = lingering
        processes = processes.map { process in process.flatMap { victims.contains($0.name) ? nil : $0 } }
        hasOrder = false
        if sample.hasFolders, isMoved {
            disk = []
            locks = [:]
            perform(.dataTaken([Self.app], failed: [], pending.ended))
        } else {
            perform(.dataTaken([], failed: sample.hasFolders ? [Self.app] : [], pending.ended))
        }
        processEnded()
    }

    private mutating func agentSilent() {
        guard let pending = machine.state.pending else { return }
        let spared = lingering
        for slot in processes.indices where processes[slot].map({ spared.contains($0.name) }) == true {
            processes[slot]?.isSpared = true
        }
        hasOrder = false
        perform(.dataTaken([], failed: [], pending.ended))
    }

    // MARK: The app

    /// A process is given the worker, makes a note of them, and reads the app's notes.
    private mutating func use(_ slot: Int) {
        guard let name = processes[slot]?.name, let epoch = machine.state.heldEpoch else { return }
        if sample.hasFolders {
            noted.insert(name)
            perform(.keeperArrived(Self.app, epoch))
        }
        if sample.hasEraser(slot) {
            var known = erasers?.epoch == epoch ? erasers ?? EraserProcesses(of: epoch) : EraserProcesses(of: epoch)
            guard known.register(name, isRunning: isRunning) else { return }
            erasers = known
            perform(.eraserEnlisted(Self.eraser, epoch))
        }
        disk.insert(Workers(worker))
        processes[slot]?.memory.formUnion(disk)
    }

    /// A process erases what is not the present worker's, or cannot. When it is asked, it shows no former worker any more.
    private mutating func erase(_ slot: Int, isDone: Bool) {
        guard let name = processes[slot]?.name, let asked else { return }
        let present: Workers = machine.state.heldEpoch == nil ? [] : Workers(worker)
        processes[slot]?.memory.formIntersection(present)
        if isDone { disk.formIntersection(present) }
        var known = erasers?.epoch == asked ? erasers ?? EraserProcesses(of: asked) : EraserProcesses(of: asked)
        known.answer(name, hasErased: isDone, isRunning: isRunning)
        erasers = known
        settle(known.answer(isRunning: isRunning), of: asked)
    }
}
