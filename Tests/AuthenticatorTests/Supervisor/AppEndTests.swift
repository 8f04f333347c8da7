// SPDX-License-Identifier: Apache-2.0
import Authenticator
import BrokerProtocol
import Processes
import Receipts
import TestSupport
import Testing

/// What apps are told and asked at the end of a session, and what becomes of those that do not answer.
@Suite(.timeLimit(.minutes(10))) struct AppEndTests {
    private let app = "org.example.ward"

    @Test func `apps that want to be told of the end have half a second to save, and no longer`() async throws {
        try await Scratch.with { scratch in
            try await SupervisorWorld.with(scratch) { world in
                _ = try await world.signIn(through: try world.agent(of: 1000))
                let epoch = try await world.status().epoch
                world.childSays(.listenerArrived(epoch: epoch))
                world.order(.signOut(fromBrowser: false))
                #expect(try await world.childHears(.willEnd) == .willEnd(epoch: epoch, milliseconds: 500))
                #expect(try await world.status().session == "ending")
                world.clock.pass(.milliseconds(499))
                #expect(try await world.status().session == "ending")
                #expect(try await world.status().epoch == epoch)
                world.clock.pass(.milliseconds(1))
                #expect(try await world.status().session == "signingOut")
                #expect(try world.door() == .operator)
            }
        }
    }

    @Test func `the end comes at once when every app has saved`() async throws {
        try await Scratch.with { scratch in
            try await SupervisorWorld.with(scratch) { world in
                _ = try await world.signIn(through: try world.agent(of: 1000))
                let epoch = try await world.status().epoch
                world.childSays(.listenerArrived(epoch: epoch))
                world.order(.seat(.dock))
                #expect(try await world.status().session == "ending")
                world.childSays(.appsReady(epoch: epoch))
                #expect(try await world.status().session == "signingOut")
                #expect(try world.door() == .dock)
            }
        }
    }

    @Test func `the server's word does not wait until apps have saved`() async throws {
        try await Scratch.with { scratch in
            try await SupervisorWorld.with(scratch) { world in
                _ = try await world.signIn(through: try world.agent(of: 1000))
                let epoch = try #require(Epoch(try await world.status().epoch))
                world.childSays(.listenerArrived(epoch: epoch.description))
                world.order(.signOut(fromBrowser: false))
                #expect(try await world.status().session == "ending")
                world.inputs.post(.serverEnded(epoch, .serverRevocation))
                #expect(try await world.status().session == "signingOut")
                #expect(try world.door() == .serverRevocation)
            }
        }
    }

    @Test func `the device waits for an app that erases, and no app is locked that has`() async throws {
        try await Scratch.with { scratch in
            try await SupervisorWorld.with(scratch) { world in
                let ended = try await signOut(world)
                #expect(try await world.status().pending == ["app:" + app])
                world.childSays(.appAnswered(app: app, ended: ended, .done, ticket: 9), child: 2)
                let status = try await world.status()
                #expect(status.session == "ready" && status.lockedApps.isEmpty)
                #expect(try await world.childHears(.appSettled) == .appSettled(ticket: 9, accepted: true))
            }
        }
    }

    @Test func `an app that is silent holds the device for three seconds, and is locked then`() async throws {
        try await Scratch.with { scratch in
            try await SupervisorWorld.with(scratch) { world in
                let ended = try await signOut(world)
                world.clock.pass(.milliseconds(2_999))
                #expect(try await world.status().session == "signingOut")
                world.clock.pass(.milliseconds(1))
                let status = try await world.status()
                #expect(status.session == "ready" && status.lockedApps == [app])
                #expect(try await world.childHears(.locks) == .locks([app: ended]))
            }
        }
    }

    @Test func `an app that could not erase stays locked over a restart until it has, and by no other epoch's word`()
        async throws
    {
        try await Scratch.with { scratch in
            var ended = ""
            try await SupervisorWorld.with(scratch) { world in
                ended = try await signOut(world)
                world.childSays(.appAnswered(app: app, ended: ended, .failed, ticket: 9), child: 2)
                let status = try await world.status()
                #expect(status.session == "ready" && status.lockedApps == [app])
            }
            try await SupervisorWorld.with(scratch) { world in
                #expect(try await world.status().lockedApps == [app])
                // Locked, it cannot have anything of this session; and it is not asked a second time.
                _ = try await world.signIn(through: try world.agent(of: 1000))
                let epoch = try await world.status().epoch
                world.childSays(.appEnlisted(app: app, epoch: epoch, ticket: 1))
                #expect(try await world.childHears(.appSettled) == .appSettled(ticket: 1, accepted: false))
                let other = "1." + String(repeating: "a", count: 32)
                for word in [(other, EraserReport.Result.done), (ended, .failed)] {
                    world.childSays(.appAnswered(app: app, ended: word.0, word.1, ticket: 2))
                    #expect(try await world.status().lockedApps == [app])
                }
                world.childSays(.appAnswered(app: app, ended: ended, .done, ticket: 3))
                #expect(try await world.status().lockedApps.isEmpty)
            }
            try await SupervisorWorld.with(scratch) { world in
                let locked = try await world.status().lockedApps
                #expect(locked.isEmpty)
            }
        }
    }

    @Test func `an app is asked by the next supervisor, too, and what it said before is not lost`() async throws {
        try await Scratch.with { scratch in
            let second = "org.example.round"
            try await SupervisorWorld.with(scratch) { world in
                let ended = try await signOut(world, [app, second])
                world.childSays(.appAnswered(app: app, ended: ended, .done, ticket: 9), child: 2)
                #expect(try await world.status().pending == ["app:" + second])
            }
            try await SupervisorWorld.with(scratch) { world in
                #expect(try await world.status().pending.contains("app:" + second))
                world.clock.pass(.seconds(3))
                let agent = try world.agent(of: 1000)
                guard case .close(let id) = try await agent.order() else { throw TestProblem("no order") }
                agent.say(.closed(epoch: id))
                let status = try await world.status()
                #expect(status.session == "ready" && status.lockedApps == [second])
            }
        }
    }

    @Test func `the receipt has the time at which each app answered`() async throws {
        try await Scratch.with { scratch in
            let silent = "org.example.round"
            try await SupervisorWorld.with(scratch) { world in
                let ended = try await signOut(world, [app, silent])
                world.clock.pass(.seconds(1))
                world.childSays(.appAnswered(app: app, ended: ended, .done, ticket: 9), child: 2)
                #expect(try await world.status().pending == ["app:" + silent])
                world.clock.pass(.seconds(2))
                #expect(try await world.status().session == "ready")
            }
            let book = ReceiptBook(directory: Directory(path: scratch.path("device/receipts")))
            let receipt = try #require(ReceiptFile(bytes: try book.export()).receipts.first?.receipt)
            let times = Dictionary(uniqueKeysWithValues: receipt.items.map { ($0.name, $0.at - HandClock.began) })
            #expect(times["session_key"] == 0 && times["app:" + app] == 1 && times["app:" + silent] == 3)
        }
    }

    @Test func `what has not ended cannot be erased`() async throws {
        try await Scratch.with { scratch in
            try await SupervisorWorld.with(scratch) { world in
                _ = try await world.signIn(through: try world.agent(of: 1000))
                let epoch = try await world.status().epoch
                world.childSays(.appAnswered(app: app, ended: epoch, .done, ticket: 4))
                #expect(try await world.childHears(.appSettled) == .appSettled(ticket: 4, accepted: false))
            }
        }
    }

    @Test func `a browser that cannot be removed holds the device, which says so in plain words`() async throws {
        try await Scratch.with { scratch in
            try await SupervisorWorld.with(scratch) { world in
                let agent = try world.agent(of: 1000)
                let id = try await world.signIn(through: agent)
                world.order(.signOut(fromBrowser: false))
                agent.say(.closeFailed(epoch: id, code: "not_cleared", message: ""))
                let problem = try #require(try await world.status().problems.first)
                #expect(problem.contains("cannot be removed (not_cleared)"))
                agent.leave()
                #expect(try await world.status().problems.first?.contains("Start baton-agent") == true)
                #expect(try await world.status().session == "signingOut")
                let next = try world.agent(of: 1000)
                next.say(.closed(epoch: id))
                #expect(try await world.status().session == "ready")
                #expect(try await world.status().problems.isEmpty)
            }
        }
    }

    /// A session of these apps with erasers ends, and the browser is cleared.
    ///
    /// - Returns: the epoch that ended.
    private func signOut(_ world: SupervisorWorld, _ apps: [String] = ["org.example.ward"]) async throws -> String {
        let agent = try world.agent(of: 1000)
        let id = try await world.signIn(through: agent)
        let epoch = try await world.status().epoch
        for (number, app) in apps.enumerated() {
            let ticket = UInt64(100 + number)
            world.childSays(.appEnlisted(app: app, epoch: epoch, ticket: ticket))
            #expect(try await world.childHears(.appSettled) == .appSettled(ticket: ticket, accepted: true))
        }
        world.order(.signOut(fromBrowser: false))
        guard case .close = try await agent.order() else { throw TestProblem("no order") }
        agent.say(.closed(epoch: id))
        // What was said has been heard when the answer comes: from here the clock may go on.
        _ = try await world.status()
        return epoch
    }
}
