// SPDX-License-Identifier: Apache-2.0
import BrokerDevice
import BrokerIPC
import BrokerProtocol
import BrokerSupervisor
import Glibc
import Processes
import TestSupport
import Testing

/// An eraser that several processes of an app have registered: each of them may hold the worker's data.
@Suite(.timeLimit(.minutes(10))) struct EraserProcessTests {
    private let notes: AppEraser = "org.example.ward:notes"
    private let me: ProcessTable.Name
    /// A process that had this one's number before.
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
        _ fixture: SupervisorFixture, _ process: ProcessTable.Name?, _ result: EraserReport.Result = .done,
        of epoch: Epoch, sessionProcess: UInt64 = 2
    ) {
        fixture.sessionProcessSends(
            .eraserAnswered(notes, process, ended: epoch, result, requestID: 9), sessionProcess: sessionProcess)
    }

    @Test func `one process does not confirm the erasure for another`() async throws {
        try await with { fixture, other in
            let epoch = try await fixture.signOut([(notes, me), (notes, other.name)])
            answer(fixture, me, of: epoch)
            // Nor does it by saying so twice, or a process that had registered nothing.
            answer(fixture, me, of: epoch)
            answer(fixture, ended, of: epoch)
            #expect(try await fixture.status().pending == ["app:org.example.ward"])
            answer(fixture, other.name, of: epoch)
            let status = try await fixture.status()
            #expect(status.session == "ready" && status.lockedApps == [])
            #expect(try await fixture.sessionProcessReceives(.erased) == .erased(notes))
        }
    }

    @Test func `a failure counts, whichever process has erased before`() async throws {
        try await with { fixture, other in
            let epoch = try await fixture.signOut([(notes, me), (notes, other.name)])
            answer(fixture, me, of: epoch)
            answer(fixture, other.name, .failed, of: epoch)
            #expect(try await fixture.status().lockedApps == [notes.bundleID])
            // What the first has erased, it has erased before the failure.
            answer(fixture, me, of: epoch)
            #expect(try await fixture.status().lockedApps == [notes.bundleID])
            answer(fixture, other.name, of: epoch)
            #expect(try await fixture.status().lockedApps == [])
        }
    }

    @Test func `nobody waits for a process that has ended, or that ends meanwhile`() async throws {
        try await with { fixture, other in
            let epoch = try await fixture.signOut([(notes, me), (notes, ended), (notes, other.name)])
            answer(fixture, me, of: epoch)
            #expect(try await fixture.status().session == "signingOut")
            async let ready = fixture.ask(.signOut(fromBrowser: false))
            try await other.kill()
            // The clock stands still.
            _ = try await ready
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

    @Test func `an app is unlocked once the process that has not answered ends`() async throws {
        try await with { fixture, other in
            let epoch = try await fixture.signOut([(notes, me), (notes, other.name)])
            answer(fixture, me, of: epoch)
            _ = try await fixture.status()
            fixture.clock.pass(.seconds(3))
            #expect(try await fixture.status().lockedApps == [notes.bundleID])
            #expect(try await fixture.sessionProcessReceives(.locks) == .locks([notes: epoch]))
            try await other.kill()
            #expect(try await fixture.sessionProcessReceives(.locks) == .locks([:]))
            #expect(try await fixture.status().lockedApps == [])
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

    @Test func `if it is not known which processes there are, no answer speaks for all`() async throws {
        try await Scratch.with { scratch in
            try await SupervisorFixture.with(scratch) { _ = try await $0.signOut([(notes, me)]) }
            try scratch.write("{", to: "device/app-processes.json")
            try await SupervisorFixture.with(scratch) { fixture in
                let epoch = try await restarted(fixture)
                answer(fixture, me, of: epoch, sessionProcess: 1)
                #expect(try await fixture.status().session == "signingOut")
                fixture.clock.pass(.seconds(3))
                #expect(try await fixture.status().lockedApps == [notes.bundleID])
            }
        }
    }

    @Test func `an eraser has sixty-four processes and no more`() async throws {
        try await Scratch.with { scratch in
            try await SupervisorFixture.with(scratch) { fixture in
                let all = (1...64).map { (notes, Optional(ProcessTable.Name(pid: getpid(), startTime: $0))) }
                _ = try await fixture.signIn(through: try fixture.agent(of: 1000))
                let epoch = try await fixture.epoch()
                for (eraser, process) in all + [(notes, me)] {
                    fixture.sessionProcessSends(.eraserEnlisted(eraser, process, epoch: epoch, requestID: 1))
                    #expect(
                        try await fixture.sessionProcessReceives(.appSettled)
                            == .appSettled(requestID: 1, accepted: process != me))
                }
            }
        }
    }

    // MARK: Every order

    /// Two processes of an eraser, and what they have done so far.
    private struct Place {
        enum Act: CaseIterable { case erases, fails, ends }

        var processes: EraserProcesses
        var running: Set<ProcessTable.Name>
        /// Those that have not erased what they had.
        var holding: Set<ProcessTable.Name>
        var hasFailedLast: Bool?

        func after(_ act: Act, of name: ProcessTable.Name) -> Place {
            var next = self
            switch act {
            case .ends: next.running.remove(name)
            case .erases:
                next.processes.answer(name, hasErased: true)
                next.holding.remove(name)
                next.hasFailedLast = false
            case .fails:
                next.processes.answer(name, hasErased: false)
                next.holding.insert(name)
                next.hasFailedLast = true
            }
            return next
        }

        /// This place and every place after it.
        func all(depth: Int) -> [Place] {
            guard depth > 0 else { return [self] }
            let next = running.flatMap { name in Act.allCases.map { after($0, of: name) } }
            return [self] + next.flatMap { $0.all(depth: depth - 1) }
        }
    }

    @Test func `an eraser counts as done exactly if nobody is left who may hold the data, in every order`() throws {
        let names = Set([ProcessTable.Name(pid: 1, startTime: 1), ProcessTable.Name(pid: 2, startTime: 1)])
        var processes = EraserProcesses(of: try #require(Epoch("1.00000000000000000000000000000000")))
        for name in names {
            let isRoom = processes.register(name)
            #expect(isRoom)
        }
        let places = Place(processes: processes, running: names, holding: names).all(depth: 6)
        for place in places {
            let isDone = place.processes.answer(place.running.contains) == .done
            #expect(isDone == (place.holding.isDisjoint(with: place.running) && place.hasFailedLast == false))
            #expect(place.processes.isGone(place.running.contains) == place.running.isEmpty)
        }
        #expect(places.count > 1000)
    }
}
