// SPDX-License-Identifier: Apache-2.0
import Foundation
import SampleParts
import Testing
import WardRoundState
import Workers

/// Explores every order of events between the broker, MSAL's answers, the hand-over and the app, from one worker's
/// session to the end of the next worker's session.
@Suite(.timeLimit(.minutes(5))) struct DeviceExploration {
    @Test func `in a worker's session the app neither shows nor has data of another one`() throws {
        var found: Set<String> = []
        var queue = [Scene()]
        var pages = 0
        while let scene = queue.popLast() {
            for event in scene.events {
                var next = scene
                next.handle(event)
                if let present = next.present {
                    let shown = next.process?.shown
                    pages += shown == present ? 1 : 0
                    // A failure ends the exploration with the event that led to it.
                    try #require(shown == nil || shown == present, "\(event) shows \(shown ?? "") to \(present)")
                    try #require(next.files.allSatisfy { $0 == present }, "\(event) keeps \(next.files) for \(present)")
                }
                if found.insert("\(next)").inserted { queue.append(next) }
            }
        }
        print("exploration of a sample app: \(found.count) states, \(pages) times a worker's page was shown")
        #expect(found.count > 2000 && pages > 10)
    }
}

/// The broker, the app's process, and the app's files.
private struct Scene {
    enum Event {
        case signIn(String), signOut, timeOver
        case start, kill, register, takeChange, noteChange, erase
        /// The broker answers MSAL; the app gets this answer later.
        case answer, receive
        case write
    }

    struct Process {
        var model = WardRoundModel()
        var named = NamedWorker<String, String>()
        /// Whether the next sign-out waits for the eraser of this process.
        var isRegistered = false
        /// A change that the reader has not taken yet, and a change that it has taken but not noted yet.
        var untaken: Change?
        var taken: Change?
        /// The checks that MSAL has not answered, each with the number of changes known when it began.
        var asked: [Int] = []
        var answers: [Answer] = []
        var isWaiting = false

        /// The worker whose data is on the screen.
        var shown: String? {
            guard case .worker(let data, _) = model.screen else { return nil }
            return data.worker.id
        }
    }

    struct Change {
        let kind: NamedWorker<String, String>.Change
        let epoch: UInt64
    }

    struct Answer {
        let worker: String?
        let asked: Int
    }

    static let workers = ["amara", "bo"]
    /// The number of sign-ins and sign-outs.
    static let changes: UInt64 = 4

    var epoch: UInt64 = 0
    var present: String?
    /// Whether any process of the app has an eraser for the next sign-out.
    var isRegistered = false
    /// The ended epoch whose data the eraser must erase. Until that data has been erased, nobody signs in.
    var owed: UInt64?
    var process: Process?
    /// The owners of the app's files.
    var files: [String] = []

    var events: [Event] {
        var events: [Event] = []
        if epoch < Self.changes {
            if present != nil {
                events.append(.signOut)
            } else if owed == nil {
                events.append(.signIn(Self.workers[Int(epoch / 2) % 2]))
            }
        }
        if owed != nil { events.append(.timeOver) }
        guard let process else { return events + [.start] }
        events.append(.kill)
        if !process.isRegistered, present != nil { events.append(.register) }
        if process.untaken != nil, process.taken == nil { events.append(.takeChange) }
        if process.taken != nil { events.append(.noteChange) }
        if owed != nil { events.append(.erase) }
        if !process.asked.isEmpty { events.append(.answer) }
        if !process.answers.isEmpty { events.append(.receive) }
        if process.shown != nil { events.append(.write) }
        return events
    }

    mutating func handle(_ event: Event) {
        switch event {
        case .signIn(let worker): begin(worker)
        case .signOut: begin(nil)
        case .timeOver: takeAway()
        case .start: process = Process(); handle(.opened)
        case .kill:
            process = nil
            // The agent does not wait for an app that has no process.
            if owed != nil { takeAway() }
        case .register:
            process?.isRegistered = true
            isRegistered = true
            if let present { process?.untaken = Change(kind: .worker(present), epoch: epoch) }
        case .takeChange:
            let change = process?.untaken
            process?.taken = change
            process?.untaken = nil
        case .noteChange: noteChange()
        case .erase: erase()
        case .answer:
            guard let asked = process?.asked.removeFirst() else { return }
            process?.answers.append(Answer(worker: present, asked: asked))
        case .receive: receive()
        case .write: if let shown = process?.shown { files.append(shown) }
        }
        files = Set(files).sorted()
    }

    // MARK: The broker and the agent

    private mutating func begin(_ worker: String?) {
        if isRegistered { owed = epoch }
        (present, epoch, isRegistered) = (worker, epoch + 1, false)
        process?.isRegistered = false
        // When a connection ends, a change that the reader has not taken is dropped.
        process?.untaken = worker == nil ? Change(kind: .nobody, epoch: epoch) : nil
        if owed != nil, process == nil { takeAway() }
    }

    /// The agent ends the process, if any, and takes the app's folder away.
    private mutating func takeAway() { (process, files, owed) = (nil, [], nil) }

    // MARK: The process

    private mutating func noteChange() {
        guard let change = process?.taken else { return }
        process?.taken = nil
        let isTold = process?.named.note(change.kind, hasPrevious: true) == true
        if process?.isWaiting == true {
            process?.isWaiting = false
            ask()
        }
        if isTold { handle(.notified) }
    }

    private mutating func erase() {
        handle(.left)
        (files, owed) = ([], nil)
    }

    private mutating func receive() {
        guard let answer = process?.answers.removeFirst() else { return }
        switch process?.named.answer(answer.worker, previous: nil, asked: answer.asked) {
        case .give(let worker, _): handle(.account(worker.map { Worker(id: $0, username: $0) }))
        case .askAgain: ask()
        case .wait: process?.isWaiting = true
        case .fail(let problem): handle(.accountUnknown(Problem(code: problem, message: problem)))
        case nil: break
        }
    }

    private mutating func ask() { if let changes = process?.named.changes { process?.asked.append(changes) } }

    private mutating func handle(_ event: WardRoundModel.Event) {
        var events = [event]
        while !events.isEmpty {
            for action in process?.model.handle(events.removeFirst()) ?? [] {
                switch action {
                case .checkAccount: ask()
                case .erase(let owner):
                    process?.named.forget { $0 == owner }
                    files.removeAll { $0 != owner }
                case .readNotes(let owner): events.append(.notes([], owner: owner))
                default: break
                }
            }
        }
    }
}
