// SPDX-License-Identifier: Apache-2.0
import Authenticator
import BrokerProtocol
import Foundation
import MSAL
import TestSupport
import Testing

extension LiveFaults {
    /// `kill -9` of supervisor, session's process or agent at every point that the code names: the device becomes ready by
    /// itself, nothing of the worker is left, and the next one signs in.
    ///
    /// Whoever copied the whole state at such a moment opens nothing with it.
    ///
    /// With `BATON_SOAK` (scripts/soak) every surface is searched, and the next worker signs in, after each single death.
    @Suite struct FaultMatrixTests {
        private func points(_ step: Failpoint.Step) -> [Failpoint] { Failpoint.allCases.filter { $0.step == step } }

        @Test func `a sign-in that a death cuts off leaves nothing, and the next one goes through`()
            async throws
        {
            let world = try await World.ready()
            var copies = try StateCopies(world)
            for point in points(.signIn) + points(.renewal) {
                try await arm(point, world)
                try world.seat("Amara")
                let app = try world.app(1)
                async let answer: MSALResult? = try? app.signIn()
                try await awaitDeath(at: point, world)
                // A broker that died comes back only when the app has given it up.
                if point.program == .supervisor { app.close() }
                // Whichever process died, the app may be told of success or of failure.
                _ = await answer
                try world.leave()
                if point.program != .session { try await copies.take(point.rawValue) }
                try await recover(from: point, world)
                if Soak.isRunning {
                    try await world.findsNothing(of: "Amara")
                    try await nextWorkerSignsIn(world)
                }
            }
            try await world.findsNothing(of: "Amara")
            #expect(copies.holdsSession(in: Failpoint.confirmed.rawValue))
            for step in copies.steps {
                try copies.expectNothing(in: step, of: try world.person("Amara").userName)
            }
            try copies.remove()
            try await nextWorkerSignsIn(world)
            try await expectWholeReceipts(world)
        }

        @Test func `a sign-out that a death cuts off is finished, and the next worker signs in`() async throws {
            let world = try await World.ready()
            var tokens: [String: String] = [:]
            var keys: [String: [UInt8]] = [:]
            var copies = try StateCopies(world)
            for point in points(.signOut) {
                try await arm(point, world)
                // This is also the next worker after the death before.
                let app = try world.app(1)
                let amara = try await world.signIn("Amara", through: app)
                keys[point.rawValue] = try await world.sessionKey()
                if tokens.isEmpty || Soak.isRunning {
                    try await world.searchHits("Amara")
                    for (name, token) in try await world.harvest() { tokens["\(point.rawValue) \(name)"] = token }
                }
                // Where the agent died the app hears after ten seconds that its sign-out goes on: nobody waits for that.
                async let answer = app.signOut(amara)
                try await awaitDeath(at: point, world)
                try await copies.take(point.rawValue)
                try await recover(from: point, world)
                _ = try? await answer
                if Soak.isRunning { try await world.findsNothing(of: "Amara", or: tokens, keys: keys) }
                try await world.serverHearsOfEveryEnd()
            }
            try await world.findsNothing(of: "Amara", or: tokens, keys: keys)
            // Until the files are cleared a copy has the session, and the key that is dead would open it.
            for point in [Failpoint.endRemembered, .endJournaled, .keyDestroyed, .processEnded, .browserClosing] {
                #expect(copies.holdsSession(in: point.rawValue), "\(point.rawValue)")
            }
            for (step, key) in keys {
                try copies.expectNothing(in: step, of: try world.person("Amara").userName, key: key)
            }
            try copies.remove()
            try await nextWorkerSignsIn(world)
            try await expectWholeReceipts(world)
        }

        @Test(arguments: [Failpoint.filesCleared, .readyJournaled, .answered])
        func `a swap that a death cuts off leaves nobody, and the next worker signs in`(point: Failpoint) async throws {
            let world = try await World.ready()
            try await arm(point, world)
            let (app, next) = (try world.app(1), try world.app(2))
            let amara = try await world.signIn("Amara", through: app)
            // The browser's end hangs, so that the next worker asks while the last one's traces go.
            try world.send(SIGSTOP, to: .agent)
            async let answer = seen { try await app.signOut(amara) }
            if point == .filesCleared {
                try await world.awaitEnd(of: .broker)
            } else {
                try await world.journalSays("signingOut")
                async let swap = seen { try await next.signIn() }
                try world.send(SIGCONT, to: .agent)
                try await world.awaitEnd(of: .broker)
                next.close()
                _ = try? await swap
            }
            try world.send(SIGCONT, to: .agent)
            // The broker comes back only when the apps have given it up.
            app.close()
            _ = try? await answer
            try await world.start(.broker)
            try await world.journalSays("ready")
            // What follows the journal's word is done as well when the broker answers.
            #expect(try await world.status().session == "ready")
            #expect(try world.isClean)
            try await world.findsNothing(of: "Amara")
            try await nextWorkerSignsIn(world)
        }

        @Test func `a join that a death cuts off is done or not done, and can be done again`() async throws {
            let world = try await World.ready()
            for point in points(.join) {
                try await world.kill(.broker)
                let join = world.path("device/join.json")
                if FileManager.default.fileExists(atPath: join) { try FileManager.default.removeItem(atPath: join) }
                try await world.start(.broker, dyingAt: point)
                try await world.awaitAgent()
                try world.seat("Carol")
                // The supervisor finishes what the directory has confirmed to a process that died then.
                #expect(try await world.joins() == (point == .joinConfirmed), "\(point.rawValue)")
                try world.leave()
                try await awaitDeath(at: point, world)
                try await recover(from: point, world)
                // What the directory has confirmed is the device's, whoever still waits for it.
                let isJoined = [.joinWritten, .joinConfirmed].contains(point)
                #expect(try await (world.status().deviceID != nil) == isJoined, "\(point.rawValue)")
            }
            if try await world.status().deviceID == nil {
                try world.seat("Carol")
                try await world.join()
                try world.leave()
            }
            try await nextWorkerSignsIn(world)
        }

        @Test func `a first receipt that a death cuts off is written, once, and its chain is whole`() async throws {
            let world = try await World.ready()
            for point in points(.firstReceipt) {
                try await world.kill(.broker)
                try world.forgetReceipts()
                try await world.start(.broker, dyingAt: point)
                try await world.awaitAgent()
                let app = try world.app(1)
                let amara = try await world.signIn("Amara", through: app)
                async let answer = app.signOut(amara)
                try await awaitDeath(at: point, world)
                try await recover(from: point, world)
                _ = try? await answer
                #expect(try world.receipts == 1, "\(point.rawValue)")
                #expect(try world.receiptStatements == 1, "\(point.rawValue)")
                try await expectWholeReceipts(world)
            }
            try await nextWorkerSignsIn(world)
            try await expectWholeReceipts(world)
        }

        @Test func `a death beside a lease loses no attempt, keeps no lease, and signs nobody in`() async throws {
            let world = try await World.ready()
            try await world.allowOffline()
            let app = try world.app(1)
            try await arm(.leaseKept, world)
            try world.seat("Amara")
            _ = try? await app.signIn()
            try await world.holdsLeases(1)
            try await recover(from: .leaseKept, world)
            #expect(try world.leases.count == 1)

            try await world.kill(.server)
            try world.seat("Amara", password: "not the password", pin: nil)
            // Three wrong ones in a row are too many: the first was counted before it was judged, and stays so.
            try await arm(.attemptCounted, world)
            _ = try? await app.signIn()
            try await recover(from: .attemptCounted, world)
            #expect(try await seen { try await app.signIn() }.code == .userCanceled)
            try await world.settle()
            #expect(try world.leases.count == 1)
            try await arm(.leaseErased, world)
            _ = try? await app.signIn()
            try await recover(from: .leaseErased, world)
            #expect(try world.leases == [])
            try world.seat("Amara")
            #expect(try await seen { try await app.signIn() }.code == .userCanceled)
            try await world.settle()
            try world.leave()
            #expect(try await app.accounts().current == nil)
            #expect(Set(points(.offline)) == [.leaseKept, .attemptCounted, .leaseErased])

            try await world.start(.server)
            try await world.forbidOffline()
            try await nextWorkerSignsIn(world)
        }

        @Test func `a program does not start with a point that it does not have`() async throws {
            let world = try await World.ready()
            try await world.kill(.broker)
            #expect(try await world.refusal(.broker, dyingAt: "sign-in.anywhere").contains("failpoint_unknown"))
            try await world.start(.broker)
        }

        /// Starts the point's program again so that it dies there.
        private func arm(_ point: Failpoint, _ world: World) async throws {
            let program: World.Program = point.program == .agent ? .agent : .broker
            try await world.kill(program)
            try await world.start(program, dyingAt: point)
            try await world.awaitAgent()
        }

        /// Waits until the supervisor or the agent has died; the session's process is started again by its supervisor.
        private func awaitDeath(at point: Failpoint, _ world: World) async throws {
            switch point.program {
            case .supervisor: try await world.awaitEnd(of: .broker)
            case .agent: try await world.awaitEnd(of: .agent)
            case .session: break
            }
        }

        /// Starts what died, or whose child did, as it should be, and sees the device become ready.
        private func recover(from point: Failpoint, _ world: World) async throws {
            switch point.program {
            case .supervisor: try await world.start(.broker)
            case .agent:
                try await world.start(.agent)
                // A sign-in whose agent died fails; one that had been finished before is a session that goes on.
                if point.step == .signIn { try await world.settle() }
            case .session:
                // A session goes on where its process dies, so that the operator ends it where there is one.
                if point.step != .renewal { try await world.settle() }
                try await world.journalSays("ready")
                try await world.kill(.broker)
                try await world.start(.broker)
            }
            try await world.journalSays("ready")
            #expect(try await world.status().session == "ready", "after \(point.rawValue)")
            #expect(try world.isClean, "after \(point.rawValue)")
            try await world.awaitAgent()
        }

        /// Every hand-over has its line, also where a death came between two of the receipt's writes.
        private func expectWholeReceipts(_ world: World) async throws {
            struct Report: Decodable {
                let intact: Bool
                let last: Int
            }
            let text = try await world.baton(
                "receipt", "verify", "--json", "--state", world.path("device"), mayFail: true)
            let report = try JSONDecoder().decode(Report.self, from: Data(text.utf8))
            #expect(report.intact)
            #expect(try report.last == world.receipts)
            #expect(try await world.status().receiptsDamagedAt == nil)
        }

        private func nextWorkerSignsIn(_ world: World) async throws {
            let app = try world.app(2)
            let next = try await world.signIn("Bo", through: app)
            #expect(try await app.accounts().current == next)
            #expect(try await app.signOut(next))
            #expect(try world.isClean)
        }
    }
}
