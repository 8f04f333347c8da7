// SPDX-License-Identifier: Apache-2.0
import BrokerIPC
import BrokerProtocol
import BrokerSupervisor
import DeviceSettings
import Glibc
import Processes
import SessionIPC
import TestSupport
import Testing

/// An eraser that several processes of an app have registered: each of them may hold the worker's data.
@Suite(.timeLimit(.minutes(10))) struct EraserProcessTests {
    private let notes: AppEraser = "org.example.ward:notes"
    private let me: ProcessTable.Name
    /// A process that has ended and had the same process id as this process.
    private let ended = ProcessTable.Name(pid: getpid(), startTime: 0)

    init() throws { me = try #require(try ProcessTable.entry(getpid())?.name) }

    /// Another process of the app, which runs until it is killed.
    private struct Other {
        let program: RunningProgram
        let name: ProcessTable.Name

        init(in scratch: Scratch) async throws {
            program = try await RunningProgram.start(
                "/bin/sleep", ["600"], log: "other", awaitsReady: false, in: scratch)
            name = try #require(try ProcessTable.entry(program.pid)?.name)
        }

        func kill() async throws {
            program.kill()
            _ = try await program.waitForExit()
        }
    }

    private func with(_ body: (SupervisorFixture, Other) async throws -> Void) async throws {
        try await Scratch.with { scratch in
            let other = try await Other(in: scratch)
            try await SupervisorFixture.with(scratch) { try await body($0, other) }
        }
    }

    private func answer(
        _ fixture: SupervisorFixture, _ process: ProcessTable.Name, _ result: EraserReport.Result = .done,
        of epoch: Epoch, sessionProcess: UInt64 = 2
    ) {
        fixture.sessionProcessSends(
            .eraserAnswered(notes, process, ended: epoch, result, requestID: 9), sessionProcess: sessionProcess)
    }

    @Test func `one process does not confirm the erasure for another`() async throws {
        try await with { fixture, other in
            let epoch = try await fixture.signOut([(notes, me), (notes, other.name)])
            answer(fixture, me, of: epoch)
            // Neither a second answer of the same process, nor the answer of a process that has not registered the
            // eraser, confirms the other process's erasure.
            answer(fixture, me, of: epoch)
            answer(fixture, ended, of: epoch)
            #expect(try await fixture.status().pending == ["app:org.example.ward"])
            answer(fixture, other.name, of: epoch)
            let status = try await fixture.status()
            #expect(status.session == "ready" && status.lockedApps == [])
            #expect(
                try await fixture.sessionProcessReceives(.asked)
                    == .asked([notes: ErasureQuestion(ended: epoch, erased: [me])]))
            #expect(try await fixture.sessionProcessReceives(.asked) == .asked([:]))
        }
    }

    @Test func `a failure counts, whichever process has erased before`() async throws {
        try await with { fixture, other in
            let epoch = try await fixture.signOut([(notes, me), (notes, other.name)])
            answer(fixture, me, of: epoch)
            answer(fixture, other.name, .failed, of: epoch)
            #expect(try await fixture.status().lockedApps == [notes.bundleID])
            // The first process erased the data before the failure, so its answer does not settle the failure.
            answer(fixture, me, of: epoch)
            #expect(try await fixture.status().lockedApps == [notes.bundleID])
            answer(fixture, other.name, of: epoch)
            #expect(try await fixture.status().lockedApps == [])
        }
    }

    @Test func `nobody waits for a process that has ended before somebody erased`() async throws {
        try await with { fixture, other in
            let epoch = try await fixture.signOut([(notes, me), (notes, ended), (notes, other.name)])
            try await other.kill()
            answer(fixture, me, of: epoch)
            let status = try await fixture.status()
            #expect(status.session == "ready" && status.lockedApps == [])
        }
    }

    @Test func `if a process ends without an answer, those that have erased must erase what it may have left`()
        async throws
    {
        try await with { fixture, other in
            let epoch = try await fixture.signOut([(notes, me), (notes, other.name)])
            answer(fixture, me, of: epoch)
            #expect(try await fixture.status().session == "signingOut")
            #expect(
                try await fixture.sessionProcessReceives(.asked)
                    == .asked([notes: ErasureQuestion(ended: epoch, erased: [me])]))
            try await other.kill()
            #expect(
                try await fixture.sessionProcessReceives(.asked) == .asked([notes: ErasureQuestion(ended: epoch)]))
            #expect(try await fixture.status().session == "signingOut")
            answer(fixture, me, of: epoch)
            let status = try await fixture.status()
            #expect(status.session == "ready" && status.lockedApps == [])
        }
    }

    @Test func `an eraser whose processes have all ended without an answer locks its app at once`() async throws {
        try await with { fixture, other in
            _ = try await fixture.signOut([(notes, other.name)])
            #expect(try await fixture.status().session == "signingOut")
            async let ready = fixture.ask(.signOut(fromBrowser: false))
            try await other.kill()
            _ = try await ready
            #expect(try await fixture.status().lockedApps == [notes.bundleID])
        }
    }

    @Test func `an app stays locked while a process hangs, the doctor names it, and its end is not an answer`()
        async throws
    {
        try await with { fixture, other in
            let epoch = try await fixture.signOut([(notes, me), (notes, other.name)])
            answer(fixture, me, of: epoch)
            _ = try await fixture.status()
            fixture.clock.pass(.seconds(3))
            #expect(try await fixture.status().lockedApps == [notes.bundleID])
            let finding = try await fixture.finding(CheckResult.appLocked)
            #expect(finding?.remedy?.contains("have not erased: \(other.name.pid). End them") == true)
            _ = try await fixture.sessionProcessReceives(.asked)
            try await other.kill()
            #expect(
                try await fixture.sessionProcessReceives(.asked) == .asked([notes: ErasureQuestion(ended: epoch)]))
            #expect(try await fixture.status().lockedApps == [notes.bundleID])
            answer(fixture, me, of: epoch)
            #expect(try await fixture.status().lockedApps == [])
        }
    }

    @Test func `nobody is asked about an app that an operator has unlocked`() async throws {
        try await with { fixture, other in
            _ = try await fixture.signOut([(notes, other.name)])
            fixture.clock.pass(.seconds(3))
            #expect(try await fixture.status().lockedApps == [notes.bundleID])
            fixture.order(.unlock(app: notes.bundleID))
            #expect(try await fixture.sessionProcessReceives(.asked) == .asked([:]))
        }
    }

    /// Clears the browser after a restart of the broker during a sign-out.
    ///
    /// - Returns: the epoch that ended.
    private func restarted(_ fixture: SupervisorFixture) async throws -> Epoch {
        guard case .signingOut(let commit) = try fixture.journal() else { throw TestProblem("no sign-out") }
        let agent = try fixture.agent(of: 1000)
        guard case .close(let id) = try await agent.order() else { throw TestProblem("no order") }
        agent.say(.closed(epoch: id))
        return commit.ended
    }

    @Test func `what some processes have erased is known after a restart of the broker`() async throws {
        try await Scratch.with { scratch in
            let other = try await Other(in: scratch)
            try await SupervisorFixture.with(scratch) { fixture in
                answer(fixture, me, of: try await fixture.signOut([(notes, me), (notes, other.name)]))
                #expect(try await fixture.status().session == "signingOut")
            }
            try await SupervisorFixture.with(scratch) { fixture in
                let epoch = try await restarted(fixture)
                #expect(try await fixture.status().session == "signingOut")
                answer(fixture, other.name, of: epoch, sessionProcess: 1)
                let status = try await fixture.status()
                #expect(status.session == "ready" && status.lockedApps == [])
            }
        }
    }

    @Test func `a process that has erased everything is not ended after a restart of the broker`() async throws {
        try await Scratch.with { scratch in
            let other = try await Other(in: scratch)
            let bundleID = "org.example.other"
            try await SupervisorFixture.with(scratch) { fixture in
                let erasers = [(notes, me), (AppEraser(stringLiteral: bundleID + ":notes"), other.name)]
                answer(fixture, me, of: try await fixture.signOut(erasers))
                #expect(try await fixture.status().session == "signingOut")
            }
            try await SupervisorFixture.with(scratch) { fixture in
                let apps = [notes.bundleID, bundleID]
                fixture.device.set(
                    apps: apps.enumerated().map { RegisteredApp(bundleID: $1, clientID: "C-\($0)", redirectURIs: []) })
                fixture.inputs.post(.deviceChanged)
                let agent = try fixture.agent(of: 1000)
                guard case .close(let id) = try await agent.order() else { throw TestProblem("not closed") }
                agent.say(.closed(epoch: id))
                #expect(try await fixture.status().session == "signingOut")
                fixture.clock.pass(.seconds(3))
                guard case .clearData(id, let data, _) = try await agent.order() else { throw TestProblem("no order") }
                #expect(data == [AppData(app: bundleID, folders: [], processes: [other.name])])
            }
        }
    }

    @Test func `if it is not known which processes there are, no answer speaks for all`() async throws {
        try await Scratch.with { scratch in
            try await SupervisorFixture.with(scratch) { _ = try await $0.signOut([(notes, me)]) }
            try scratch.write("{", to: "device/app-processes.json")
            try await SupervisorFixture.with(scratch) { fixture in
                let epoch = try await restarted(fixture)
                for _ in 0..<2 { answer(fixture, me, of: epoch, sessionProcess: 1) }
                #expect(try await fixture.status().session == "signingOut")
                fixture.clock.pass(.seconds(3))
                #expect(try await fixture.status().lockedApps == [notes.bundleID])
            }
        }
    }

    @Test func `an eraser has sixty-four running processes and no more, and those that have ended do not count`() {
        let names = (1...70).map { ProcessTable.Name(pid: 7, startTime: $0) }
        var processes = EraserProcesses(of: Epoch(id: .random(), counter: 1))
        let room = names.map { processes.register($0) { _ in true } }
        #expect(room == names.map { $0.startTime <= 64 })
        let later = processes.register(names[69]) { $0.startTime > 60 }
        #expect(later && processes.registered.count == 5)
    }

    // MARK: Room

    private func isRegistered(
        _ fixture: SupervisorFixture, _ eraser: AppEraser, _ process: ProcessTable.Name, in epoch: Epoch
    ) async throws -> Bool {
        fixture.sessionProcessSends(.eraserEnlisted(eraser, process, epoch: epoch, requestID: 1))
        switch try await fixture.sessionProcessReceives(.appSettled, .appIsFull) {
        case .appSettled(1, accepted: true): return true
        case .appIsFull(1): return false
        case let other: throw TestProblem("\(other)")
        }
    }

    private func eraser(_ app: String, _ number: Int) throws -> AppEraser {
        try #require(AppEraser(bundleID: app, name: String(repeating: "a", count: number)))
    }

    /// Runs `body` in a session, with eight other processes.
    private func withOthers(_ body: (SupervisorFixture, [Other], Epoch) async throws -> Void) async throws {
        try await Scratch.with { scratch in
            var others: [Other] = []
            for _ in 0..<8 { others.append(try await Other(in: scratch)) }
            try await SupervisorFixture.with(scratch) { fixture in
                _ = try await fixture.signIn(through: try fixture.agent(of: 1000))
                let epoch = try await fixture.epoch()
                try await body(fixture, others, epoch)
            }
        }
    }

    @Test func `an app whose processes have registered all that it may does not hinder another app`() async throws {
        try await withOthers { fixture, others, epoch in
            // A program of the session's user may make requests as any registered app of this user.
            for app in ["org.example.greedy", "org.example.claimed"] {
                for other in others {
                    for number in 1...16 {
                        #expect(try await isRegistered(fixture, try eraser(app, number), other.name, in: epoch))
                    }
                }
                let isMore = try await isRegistered(fixture, try eraser(app, 1), me, in: epoch)
                #expect(!isMore)
                // What a process has registered stays registered.
                #expect(try await isRegistered(fixture, try eraser(app, 1), others[0].name, in: epoch))
            }
            #expect(try await isRegistered(fixture, notes, me, in: epoch))
            // Processes that have ended do not count.
            try await others[0].kill()
            #expect(try await isRegistered(fixture, try eraser("org.example.greedy", 1), me, in: epoch))
        }
    }

    @Test func `an eraser that was refused for want of room is told when a process of its app has ended`()
        async throws
    {
        try await withOthers { fixture, others, epoch in
            for other in others {
                for number in 1...16 {
                    let name = try eraser(notes.bundleID, number)
                    #expect(try await isRegistered(fixture, name, other.name, in: epoch))
                }
            }
            let name = try eraser(notes.bundleID, 1)
            #expect(try await !isRegistered(fixture, name, me, in: epoch))
            try await others[0].kill()
            #expect(try await fixture.sessionProcessReceives(.roomForErasers, .leasesInQuestion) == .roomForErasers)
            #expect(try await isRegistered(fixture, name, me, in: epoch))
        }
    }

    // MARK: Every order

    /// Two processes of an eraser, and what they have done so far.
    private struct Place {
        enum Act: CaseIterable { case erases, fails, ends }

        var processes: EraserProcesses
        var running: Set<ProcessTable.Name>
        /// The processes whose data may be left: in a process's memory until the process erases it, and on the disk
        /// after the process has ended, until another process erases it.
        var left: Set<ProcessTable.Name>
        var hasFailedLast: Bool?

        func after(_ act: Act, of name: ProcessTable.Name) -> Place {
            var next = self
            switch act {
            case .ends: next.running.remove(name)
            case .erases:
                next.processes.answer(name, hasErased: true, isRunning: running.contains)
                next.left.formIntersection(running.subtracting([name]))
                next.hasFailedLast = false
            case .fails:
                next.processes.answer(name, hasErased: false, isRunning: running.contains)
                next.left.insert(name)
                next.hasFailedLast = true
            }
            _ = next.processes.askAgain(isRunning: next.running.contains)
            return next
        }

        /// This place and every place after it.
        func all(depth: Int) -> [Place] {
            guard depth > 0 else { return [self] }
            let next = running.flatMap { name in Act.allCases.map { after($0, of: name) } }
            return [self] + next.flatMap { $0.all(depth: depth - 1) }
        }
    }

    @Test func `an eraser counts as done only if nothing may be left, in every order`() throws {
        let names = Set([ProcessTable.Name(pid: 1, startTime: 1), ProcessTable.Name(pid: 2, startTime: 1)])
        var processes = EraserProcesses(of: try #require(Epoch("1.00000000000000000000000000000000")))
        for name in names {
            let isRoom = processes.register(name) { _ in true }
            #expect(isRoom)
        }
        let places = Place(processes: processes, running: names, left: names).all(depth: 6)
        for place in places {
            let isDone = place.processes.answer(isRunning: place.running.contains) == .done
            #expect(!isDone || place.left.isEmpty && place.hasFailedLast == false)
            // Until the eraser is done, a process that may have left something is asked, or all such processes have
            // ended.
            let asked = place.running.subtracting(place.processes.erased)
            #expect(isDone || !place.left.isDisjoint(with: asked) || place.left.isDisjoint(with: place.running))
            // The eraser is done once every process that is asked has erased the data.
            let settled = asked.sorted { $0.pid < $1.pid }.reduce(place) { $0.after(.erases, of: $1) }
            if !place.running.isEmpty {
                #expect(settled.processes.answer(isRunning: place.running.contains) == .done || asked.isEmpty)
            }
        }
        #expect(places.count > 1000)
    }
}
