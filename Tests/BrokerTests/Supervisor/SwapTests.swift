// SPDX-License-Identifier: Apache-2.0
import BrokerProtocol
import BrokerSupervisor
import DeviceSettings
import Files
import Foundation
import Processes
import TestSupport
import Testing

/// Repeated hand-overs, at the level of the machine and of the files.
@Suite(.timeLimit(.minutes(20))) struct SwapTests {
    /// The number of hand-overs; ten times as many with `BATON_SOAK` (scripts/stress/soak).
    private static let count = ProcessInfo.processInfo.environment["BATON_SOAK"] == nil ? 1_000 : 10_000

    @Test func `after each of a thousand swaps, some of them interrupted at any point, no data of the worker is left`()
        async throws
    {
        // Run on a thread that no other test waits for.
        try await blocking { try Self.run() }
    }

    private static func run() throws {
        // In memory if possible: this tests the order of events, not the disk.
        let memory = "/dev/shm"
        let place = FileManager.default.fileExists(atPath: memory) ? memory : NSTemporaryDirectory()
        let folder = "\(place)/baton-swaps-\(ProcessInfo.processInfo.processIdentifier)"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        var device = try SwappedDevice(folder)
        for worker in 1...count {
            let counter = device.machine.epoch.counter
            try device.handover(worker)
            guard device.machine.state == .ready, device.machine.epoch.counter > counter,
                try device.files.journal() == .ready(device.machine.epoch), try device.files.session.names().isEmpty
            else {
                throw TestProblem("worker \(worker) left the device in \(device.machine.state)")
            }
            guard worker % 100 != 0 || device.finds("worker-").isEmpty else {
                throw TestProblem("something of worker \(worker) is left")
            }
        }
        // Each hand-over has a receipt. A hand-over that a crash interrupted may have several receipts, all for the
        // same epoch.
        let locked = device.finds("app")
        guard Set(device.receipts.map(\.ended)).count == count, device.deaths > count / 10, locked == ["app-locks.json"]
        else {
            throw TestProblem("\(device.receipts.count) receipts, \(device.deaths) deaths, apps in \(locked)")
        }
    }
}

/// Carries out the machine's actions as the supervisor does, but without processes.
private struct SwappedDevice {
    let files: DeviceFiles
    var machine: SessionMachine
    var receipts: [HandoverOutcome] = []
    var locks: [AppEraser: Epoch] = [:]
    var deaths = 0
    private var random = SplitMix(seed: 20_261_121)
    /// The number of further actions after which the supervisor dies.
    private var left: Int?

    private struct Death: Error {}

    init(_ folder: String) throws {
        files = DeviceFiles(root: Directory(path: folder))
        try files.prepare()
        let (machine, actions) = SessionMachine.recover(from: nil, keyKept: false, random: &random)
        self.machine = machine
        try perform(actions)
    }

    /// A worker signs in and out. In about every third hand-over, the supervisor dies at some point.
    mutating func handover(_ worker: Int) throws {
        // The first action records in the journal that someone is signing in.
        left = random.next() % 3 == 0 ? 1 + Int(random.next() % 15) : nil
        do {
            try live(worker)
        } catch is Death {
            left = nil
            deaths += 1
            try start()
            try finish(hasErased: true)
        }
        try files.emptyTrash()
    }

    private mutating func live(_ worker: Int) throws {
        try handle(.signInRequested(.init(number: 1, purpose: .worker)))
        try files.session.file("prt").replace(with: Array("worker-\(worker)".utf8))
        if worker % 2 == 0 { try handle(.browserWanted(url: "http://127.0.0.1:1/x")) }
        try handle(.signInSucceeded)
        if worker % 5 == 0 { try handle(.eraserEnlisted("app", machine.epoch)) }
        try handle(.endWanted(.init(number: 1), worker % 3 == 0 ? .serverRevocation : .app))
        try finish(hasErased: worker % 10 == 0)
    }

    /// Ends the wait for the apps: the app answers if `hasErased` is true, and then the time of all apps is over.
    private mutating func finish(hasErased: Bool) throws {
        guard let pending = machine.state.pending else { return }
        if hasErased { try handle(.eraserAnswered("app", hasErased: true, pending.ended)) }
        try handle(.appsOverdue(pending.ended))
    }

    private mutating func start() throws {
        let (machine, actions) = SessionMachine.recover(from: try files.journal(), keyKept: false, random: &random)
        self.machine = machine
        try perform(actions)
    }

    private mutating func handle(_ event: SessionMachine.Event) throws {
        let actions = machine.handle(event, random: &random)
        try perform(actions)
    }

    private mutating func perform(_ actions: [SessionAction]) throws {
        for action in actions {
            if left == 0 { throw Death() }
            left = left.map { $0 - 1 }
            switch action {
            case .journal(let record): try files.write(record)
            case .closeBrowser(let ended): try handle(.itemCleared(.browser, ended))
            case .clearFiles(let ended):
                try files.clearSession(of: ended)
                try handle(.itemCleared(.files, ended))
            case .lock(let erasers, let ended):
                for eraser in erasers { locks[eraser] = ended }
                try files.write(locks: locks)
            case .writeReceipt(let handover):
                if receipts.last?.ended != handover.ended { receipts.append(handover) }
            default: break
            }
        }
    }

    /// The device's files that contain this text.
    func finds(_ text: String) -> [String] {
        let paths = FileManager.default.enumerator(atPath: files.root.path)?.compactMap { $0 as? String } ?? []
        return paths.filter { path in
            let content = FileManager.default.contents(atPath: files.root.path + "/" + path) ?? Data()
            return path.contains(text) || content.range(of: Data(text.utf8)) != nil
        }
    }
}
