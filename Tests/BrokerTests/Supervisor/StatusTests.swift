// SPDX-License-Identifier: Apache-2.0
import BrokerIPC
import BrokerProtocol
import BrokerSupervisor
import Processes
import SessionIPC
import Synchronization
import TestSupport
import Testing
import UnixSocket

/// The stream of the device's state on `status.sock`.
@Suite(.timeLimit(.minutes(10))) struct StatusTests {
    private struct Reader {
        let channel: FramedJSON<DeviceState, DeviceState>

        init(_ scratch: Scratch) async throws {
            let path = scratch.path("run/status.sock")
            channel = try await blocking { try .connect(to: path, limits: Wire.statusLimits) }
            try channel.connection.descriptor.setReceiveTimeout(milliseconds: 60_000)
        }

        func next() async throws -> DeviceState { try await blocking { try channel.receive().message } }

        /// Whether the supervisor has closed the connection, after any messages that it sent before.
        func isCutOff() async throws -> Bool {
            try await blocking {
                while true {
                    do throws(FrameConnection.ReadFailure) { _ = try channel.connection.read() } catch {
                        return error == .ended || error == .truncated
                            || error
                                == .socket(
                                    SocketError(call: .receive, errno: 104))
                    }
                }
            }
        }
    }

    @Test func `a home screen gets the device's state when it connects, and every change of it`() async throws {
        try await Scratch.with { scratch in
            try await SupervisorFixture.with(scratch) { fixture in
                _ = try await fixture.status()
                let reader = try await Reader(scratch)
                let first = try await reader.next()
                #expect(first == DeviceState(stage: .ready, reason: "shared", isEnrolled: true))
                let agent = try fixture.agent(of: 1000)
                #expect(try await reader.next().hasAgent)
                _ = try await fixture.signIn(through: agent)
                #expect(try await reader.next().stage == .signingIn)
                let signedIn = try await reader.next()
                #expect(signedIn.stage == .signedIn)
                #expect(signedIn.session == .init(began: HandClock.began, shiftEnd: nil, idleEnd: nil))
                fixture.clock.pass(.seconds(840))
                #expect(try await reader.next().session?.idleEnd == 1000 + 900)
                fixture.sessionProcessSends(.activity(epoch: try await fixture.epoch()))
                #expect(try await reader.next().session == signedIn.session)
                fixture.order(.signOut(fromBrowser: false))
                let ending = try await reader.next()
                #expect(ending.stage == .signingOut)
                #expect(ending.pending == ["browser"])
                #expect(ending.session == nil)
            }
        }
    }

    @Test func `a home screen learns which app has unsaved work, and how long the end waits for it`() async throws {
        try await Scratch.with { scratch in
            try await SupervisorFixture.with(scratch) { fixture in
                _ = try await fixture.signIn(through: try fixture.agent(of: 1000))
                let epoch = try await fixture.epoch()
                let reader = try await Reader(scratch)
                #expect(try await reader.next().session?.unsaved == [])
                fixture.sessionProcessSends(.listenerArrived(epoch: epoch))
                fixture.sessionProcessSends(.unsavedWork(apps: ["org.example.notes"], epoch: epoch))
                let working = try await reader.next()
                #expect(working.stage == .signedIn && working.session?.unsaved == ["org.example.notes"])
                #expect(working.session?.saveEnd == nil)
                fixture.order(.signOut(fromBrowser: false))
                let ending = try await reader.next()
                #expect(ending.stage == .ending && ending.session?.saveEnd == 1000 + 5)
                #expect(ending.session?.unsaved == ["org.example.notes"])
            }
        }
    }

    @Test func `a home screen learns whether the server can be reached, and when an offline session ends`()
        async throws
    {
        try await Scratch.with { scratch in
            try await SupervisorFixture.with(scratch) { fixture in
                _ = try await fixture.signIn(through: try fixture.agent(of: 1000))
                let epoch = try await fixture.epoch()
                let reader = try await Reader(scratch)
                #expect(try await reader.next().isServerReachable == nil)
                fixture.inputs.post(.serverReachable(false))
                #expect(try await reader.next().isServerReachable == false)
                fixture.sessionProcessSends(.leaseEnds(at: 4000, epoch: epoch))
                #expect(try await reader.next().session?.offlineEnd == 4000)
                fixture.sessionProcessSends(.leaseEnds(at: nil, epoch: epoch))
                #expect(try await reader.next().session?.offlineEnd == nil)
                fixture.inputs.post(.serverReachable(true))
                #expect(try await reader.next().isServerReachable == true)
                fixture.sessionProcessSends(
                    .leasesCounted(LeaseCount(leases: 1, pins: 0, pinsInFiles: 0, mayBegin: true)))
                #expect(try await reader.next().hasOfflineLeases)
            }
        }
    }

    @Test func `a home screen is notified of the doctor's first fault, and of its repair a minute later`()
        async throws
    {
        let findings = Mutex([
            CheckResult(.push, .bad, code: "published_anyway", message: ""),
            CheckResult(.files, .warning, code: "works", message: ""),
            CheckResult(.files, .bad, code: "broken", message: ""),
        ])
        try await Scratch.with { scratch in
            try await SupervisorFixture.with(scratch, isJoined: false, inspect: { findings.withLock(\.self) }) {
                fixture in
                _ = try await fixture.status()
                let reader = try await Reader(scratch)
                #expect(try await reader.next().fault == nil)
                fixture.clock.pass(.seconds(5))
                #expect(try await reader.next().fault == "broken")
                findings.withLock { $0 = [CheckResult(.files, .bad, code: "broken_otherwise", message: "")] }
                fixture.clock.pass(.seconds(59))
                _ = try await fixture.status()
                fixture.clock.pass(.seconds(1))
                #expect(try await reader.next().fault == "broken_otherwise")
                // The process of the tests may have other faults, such as core dumps.
                findings.withLock { $0 = [] }
                fixture.clock.pass(.seconds(60))
                #expect(try await reader.next().fault?.hasPrefix("broken") != true)
            }
        }
    }

    @Test func `a device is examined for home screens only while nobody is signed in`() async throws {
        let examinations = Mutex(0)
        try await Scratch.with { scratch in
            try await SupervisorFixture.with(
                scratch,
                inspect: {
                    examinations.withLock { $0 += 1 }
                    return []
                }
            ) { fixture in
                _ = try await fixture.signIn(through: try fixture.agent(of: 1000))
                let reader = try await Reader(scratch)
                #expect(try await reader.next().stage == .signedIn)
                fixture.clock.pass(.seconds(10))
                _ = try await fixture.status()
                #expect(examinations.withLock(\.self) == 0)
            }
        }
    }

    @Test func `a home screen is notified of a new configuration, and of its removal`()
        async throws
    {
        try await Scratch.with { scratch in
            try await SupervisorFixture.with(scratch) { fixture in
                _ = try await fixture.status()
                let reader = try await Reader(scratch)
                #expect(try await reader.next().homeScreen == nil)
                for version in ["1", "2", nil] {
                    fixture.device.set(homeScreen: version)
                    fixture.inputs.post(.deviceChanged)
                    #expect(try await reader.next().homeScreen == version)
                }
            }
        }
    }

    @Test func `after a hand-over the state says what was cleared and who observed it`() async throws {
        try await Scratch.with { scratch in
            try await SupervisorFixture.with(scratch) { fixture in
                let agent = try fixture.agent(of: 1000)
                let epoch = try await fixture.signIn(through: agent)
                fixture.order(.signOut(fromBrowser: false))
                guard case .close(let closed) = try await agent.order() else { throw TestProblem("not closed") }
                #expect(closed == epoch)
                agent.say(.closed(epoch: closed))
                #expect(try await fixture.status().session == "ready")
                let handover = try #require(try await Reader(scratch).next().handover)
                #expect(handover.receipt == 1)
                #expect(handover.trigger == "operator")
                #expect(
                    handover.items.filter { $0.name == "session_key" }
                        == [.init(name: "session_key", grade: "enforced", observer: "broker", result: "done")])
            }
        }
    }

    @Test func `a reader that does not read is cut off, and delays nobody`() async throws {
        try await Scratch.with { scratch in
            try await SupervisorFixture.with(scratch) { fixture in
                _ = try await fixture.status()
                let (idle, reader) = (try await Reader(scratch), try await Reader(scratch))
                _ = try await reader.next()
                for round in 0..<400 {
                    let agent = try fixture.agent(of: 1000)
                    #expect(try await reader.next().hasAgent, "round \(round)")
                    agent.leave()
                    #expect(try await reader.next().hasAgent == false)
                }
                #expect(try await idle.isCutOff())
            }
        }
    }

    @Test func `a user may have eight readers, and the place of a reader that left is free again`() async throws {
        try await Scratch.with { scratch in
            try await SupervisorFixture.with(scratch) { fixture in
                _ = try await fixture.status()
                var readers: [Reader] = []
                for _ in 0..<8 {
                    readers.append(try await Reader(scratch))
                    _ = try await readers.last?.next()
                }
                #expect(try await Reader(scratch).isCutOff())
                readers.removeLast().channel.connection.shutDown()
                #expect(try await Reader(scratch).next().stage == .ready)
            }
        }
    }
}
