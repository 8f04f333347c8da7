// SPDX-License-Identifier: Apache-2.0
import BrokerProtocol
import MSAL
import MSALTesting
import Testing

@testable import Handover

/// Explores every order of events between the broker and a process of an app, from one worker's session to the end of
/// the next worker's session, until no new state is found. The process has an eraser and a reader, and keeps a worker's
/// data once its reader has been told of the worker.
@Suite(.timeLimit(.minutes(5))) struct HandoverExploration {
    @Test func `no reader is told of a worker while the app has data of another one`() throws {
        var found: Set<Scene> = [Scene()]
        var queue = [Scene()]
        var tellings = 0
        while let scene = queue.popLast() {
            for event in scene.events {
                var next = scene
                let told = next.handle(event)
                if let worker = told?.current {
                    tellings += 1
                    // A failure ends the exploration with the event that led to it.
                    try #require(
                        next.data.isSubset(of: [worker]),
                        "\(event) tells of \(worker.identifier ?? "") while \(next.data) is kept")
                    try #require(scene.worker == worker || scene.isBehind(told), "\(event) tells of \(worker)")
                }
                try #require(next.reportsUnderWay <= 1, "\(event) sends a report before another one is answered")
                if found.insert(next).inserted { queue.append(next) }
            }
        }
        print("exploration of the hand-over: \(found.count) states, \(tellings) times a worker was told")
        #expect(found.count > 10_000 && tellings > 100)
    }
}

/// The broker, the app's process, and what the app keeps on the disk.
private struct Scene: Hashable {
    enum Event: Hashable {
        case signIn(Int), signOut, timeOver, brokerKilled, brokerStarted
        case start, kill, connect, miss, serve, deliver, readerReturns
        case serveReport, reportFails, deliverReport, resend
        case blockEnds(isDone: Bool)
    }

    /// A request that the broker has not answered, or an answer that has not arrived.
    enum Message: Hashable {
        case owed(Epoch?), registered(isNobody: Bool, isLocked: Bool), account(ReaderState.Answer?), unlocked
        /// The answer to a report. It arrives on the report's own connection, before or after the others.
        case reported(Epoch, isLost: Bool)

        var isReport: Bool { if case .reported = self { true } else { false } }
    }

    struct Process: Hashable {
        var machine = HandoverMachine()
        var isConnected = false
        var requests: [HandoverMachine.Action] = []
        var answers: [Message] = []
        var erasing: Epoch?

        /// The broker was killed after it had handled a report and before its answer arrived.
        mutating func loseAnswer() {
            answers = answers.map { answer in
                if case .reported(let ended, _) = answer { .reported(ended, isLost: true) } else { answer }
            }
        }
    }

    static let workers = ["a", "b"].map { TestWorker("\($0)@contoso.example").account }
    /// The number of sign-ins and sign-outs.
    static let changes = 3
    static let name = "notes"

    var epoch = Epoch.first
    var worker: MSALAccount? = workers[0]
    var isDown = false
    /// The erasers that the next sign-out waits for.
    var registered: Set<String> = []
    var owed: [String: Epoch] = [:]
    /// Whether erasers still have time, so that nobody can sign in.
    var isSigningOut = false
    /// The accounts that the broker has reported to each reader and that the reader has not acknowledged.
    var tombstones: [String: [String]] = [:]
    var process: Process?
    /// The workers whose data the app keeps.
    var data: Set<MSALAccount> = []

    var isLocked: Bool { !isSigningOut && !owed.isEmpty }

    /// Whether a change is out of date. The reader will learn the newer state from its next connection.
    func isBehind(_ change: WorkerChange?) -> Bool { change?.epoch?.number != epoch.counter }

    /// The number of reports that the broker has not answered, or whose answer has not arrived.
    var reportsUnderWay: Int {
        guard let process else { return 0 }
        return process.requests.count(where: \.isReport) + process.answers.count(where: \.isReport)
    }

    var events: [Event] {
        var events: [Event] = isDown ? [.brokerStarted] : [.brokerKilled]
        if !isDown, epoch.counter < UInt64(Self.changes + 1) {
            if worker != nil { events.append(.signOut) } else if !isSigningOut { events.append(.signIn(1)) }
        }
        if isSigningOut { events.append(.timeOver) }
        guard let process else { return events + [.start] }
        events.append(.kill)
        if !process.isConnected { events.append(isDown ? .miss : .connect) }
        if process.isConnected, !process.requests.allSatisfy(\.isReport) { events.append(.serve) }
        if process.requests.contains(where: \.isReport) { events.append(isDown ? .reportFails : .serveReport) }
        if process.machine.canResend { events.append(.resend) }
        if !process.answers.allSatisfy(\.isReport) { events.append(.deliver) }
        if process.answers.contains(where: \.isReport) { events.append(.deliverReport) }
        if process.erasing != nil { events += [.blockEnds(isDone: true), .blockEnds(isDone: false)] }
        if process.machine.canReturn { events.append(.readerReturns) }
        return events
    }

    /// Returns the change that the event makes known to a reader; nil if there is none.
    mutating func handle(_ event: Event) -> WorkerChange? {
        switch event {
        case .signIn(let number): begin(Self.workers[number])
        case .signOut: begin(nil)
        case .timeOver: isSigningOut = false
        case .brokerKilled:
            isDown = true
            disconnect()
            process?.loseAnswer()
        case .brokerStarted: isDown = false
        case .start: start()
        case .kill: process = nil
        case .connect:
            process?.isConnected = true
            return apply { [epoch] in $0.opened(epoch) }
        case .miss: return apply { $0.missed(.unreachable(reason: "down")) }
        case .serve: if let action = process?.requests.removeFirst(where: { !$0.isReport }) { serve(action) }
        case .serveReport: if let report = process?.requests.removeFirst(where: \.isReport) { serve(report) }
        case .reportFails:
            guard case .report(_, let ended, _) = process?.requests.removeFirst(where: \.isReport) else { return nil }
            answer(.reported(ended, isLost: true))
        case .resend: return apply { $0.resend(Self.name) }
        case .deliver: return deliver { !$0.isReport }
        case .deliverReport: return deliver(where: \.isReport)
        case .blockEnds(let isDone):
            guard let ended = process?.erasing else { return nil }
            process?.erasing = nil
            if isDone { data = [] }
            return apply { $0.erased(Self.name, of: ended, isDone ? .done : .failed) }
        case .readerReturns: return apply { $0.wanted(by: Self.name) }
        }
        return nil
    }

    // MARK: The broker

    private mutating func begin(_ next: MSALAccount?) {
        if worker != nil {
            for name in registered { owed[name] = owed[name] ?? epoch }
            isSigningOut = !registered.isEmpty
            registered = []
        }
        worker = next
        epoch = Epoch(id: epoch.id, counter: epoch.counter + 1)
        disconnect()
    }

    private mutating func disconnect() {
        process?.isConnected = false
        process?.requests.removeAll { !$0.isReport }
        process?.answers.removeAll { !$0.isReport }
    }

    private mutating func serve(_ action: HandoverMachine.Action) {
        switch action {
        case .askOwed(let name): answer(.owed(owed[name]))
        case .register(let name):
            if worker != nil, !isLocked { registered.insert(name) }
            answer(.registered(isNobody: worker == nil && !isLocked, isLocked: isLocked))
        case .report(let name, let ended, let result):
            let wasLocked = isLocked
            if result == .done, owed[name] == ended { owed[name] = nil }
            if owed.isEmpty { isSigningOut = false }
            answer(.reported(ended, isLost: false))
            if wasLocked, !isLocked, process?.isConnected == true { answer(.unlocked) }
        case .askAccount(let name): answer(.account(isLocked ? nil : account(name)))
        case .acknowledge(let name, let receipt):
            if receipt.epoch == epoch, tombstones[name]?.first == receipt.previous { tombstones[name]?.removeFirst() }
        case .erase, .tell, .reportLater, .reportUnsaved, .prepare, .readyToEnd, .announceChange: break
        }
    }

    private mutating func account(_ name: String) -> ReaderState.Answer {
        var told = AccountTombstones(
            tombstones[name, default: []].map { AccountTombstone(homeAccountID: $0, epoch: epoch) })
        let previous = told.previous(current: worker?.identifier)
        if let identifier = worker?.identifier { _ = told.tell(identifier, in: epoch) }
        tombstones[name] = told.told.map(\.homeAccountID)
        return ReaderState.Answer(
            current: worker, previous: Self.workers.first { $0.identifier == previous }, epoch: epoch)
    }

    private mutating func answer(_ message: Message) { process?.answers.append(message) }

    // MARK: The process

    private mutating func start() {
        process = Process()
        _ = apply { machine in
            machine.add(eraser: Self.name) + machine.add(reader: Self.name) + machine.wanted(by: Self.name)
        }
    }

    private mutating func deliver(where isNext: (Message) -> Bool) -> WorkerChange? {
        guard let message = process?.answers.removeFirst(where: isNext) else { return nil }
        let name = Self.name
        return apply { machine in
            switch message {
            case .owed(let ended): machine.owed(name, .success(ended))
            case .registered(true, _):
                machine.registered(name, .failure(.refused(BrokerError(.interactionRequired, ""))))
            case .registered(_, true): machine.registered(name, .failure(.refused(BrokerError(.appLocked, ""))))
            case .registered: machine.registered(name, .success(()))
            case .reported(let ended, isLost: true): machine.reported(name, of: ended, .failure(.ended))
            case .reported(let ended, isLost: false): machine.reported(name, of: ended, .success(()))
            case .account(let answer?): machine.account(name, .success(answer))
            case .account(nil): machine.account(name, .failure(.refused(BrokerError(.appLocked, ""))))
            case .unlocked: machine.event(.unlocked(.first))
            }
        }
    }

    /// Performs the actions of an event. The app's actions take effect at once; requests to the broker wait for a later
    /// event.
    private mutating func apply(_ event: (inout HandoverMachine) -> [HandoverMachine.Action]) -> WorkerChange? {
        guard var process else { return nil }
        var told: WorkerChange?
        for action in event(&process.machine) {
            switch action {
            case .erase(_, let ended): process.erasing = ended
            case .tell(_, let change): told = change
            case .reportLater, .reportUnsaved, .prepare, .readyToEnd, .announceChange: break
            case .report: process.requests.append(action)
            case .askOwed, .register, .askAccount, .acknowledge:
                if !process.requests.contains(action) { process.requests.append(action) }
            }
        }
        self.process = process
        // The app keeps a worker's data as soon as its reader has been told of the worker.
        if let worker = told?.current { data.insert(worker) }
        return told
    }
}

extension HandoverMachine: Hashable {
    /// Hashes only the properties that differ most between states.
    func hash(into hasher: inout Hasher) {
        hasher.combine(readers)
        for state in erasers.values { hasher.combine(state.rank) }
    }

    /// Whether a reader is handling a change.
    fileprivate var canReturn: Bool { !readers.values.allSatisfy(\.isWaited) }

    /// Whether a report waits to be sent again.
    fileprivate var canResend: Bool {
        erasers.values.contains { if case .unreported = $0 { true } else { false } }
    }
}

extension Array {
    fileprivate mutating func removeFirst(where isWanted: (Element) -> Bool) -> Element? {
        firstIndex(where: isWanted).map { remove(at: $0) }
    }
}

extension HandoverMachine.Action {
    fileprivate var isReport: Bool { if case .report = self { true } else { false } }
}

extension EraserState {
    /// A number for the case, used only for hashing.
    fileprivate var rank: Int {
        switch self {
        case .unknown: 0
        case .asking: 1
        case .erasing: 2
        case .reporting: 3
        case .registering: 4
        case .registered: 5
        case .idle: 6
        case .locked: 7
        case .failed: 8
        case .unreported: 9
        }
    }
}

extension Epoch {
    fileprivate static let first: Epoch = {
        guard let epoch = Epoch("1." + String(repeating: "0", count: 32)) else { preconditionFailure("no epoch") }
        return epoch
    }()
}
