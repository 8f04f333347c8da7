// SPDX-License-Identifier: Apache-2.0
import BrokerIPC
import Foundation
import MSAL
import TestSupport
import Testing

extension LiveFaults {
    /// Supervisor, session process and agent die at every failpoint, as with `kill -9`. The device becomes ready by
    /// itself, nothing of the worker is left, and the next worker signs in.
    ///
    /// Nothing in a copy of the state from such a moment can be opened.
    ///
    /// With `BATON_SOAK` (scripts/stress/soak), every surface is searched and the next worker signs in after each
    /// death.
    @Suite struct FaultMatrixTests {
        private func points(_ step: Failpoint.Step) -> [Failpoint] { Failpoint.allCases.filter { $0.step == step } }

        @Test func `a sign-in that a crash cuts off leaves nothing, and the next one succeeds`()
            async throws
        {
            let live = try await LiveEnvironment.ready()
            var copies = try StateCopies(live)
            for point in points(.signIn) + points(.renewal) {
                try await arm(point, live)
                try live.seat("Amara")
                let app = try live.app(1)
                async let answer: MSALResult? = try? app.signIn()
                try await awaitDeath(at: point, live)
                // A broker that died is started again only after the app has given up.
                if point.program == .supervisor { app.close() }
                // Whichever process died, the app may be told of success or of failure.
                _ = await answer
                try live.leave()
                if point.program != .session { try await copies.take(point.rawValue) }
                try await recover(from: point, live)
                if Soak.isRunning {
                    try await live.findsNothing(of: "Amara")
                    try await nextWorkerSignsIn(live)
                }
            }
            try await live.findsNothing(of: "Amara")
            #expect(copies.holdsSession(in: Failpoint.confirmed.rawValue))
            for step in copies.steps {
                try copies.expectNothing(in: step, of: try live.person("Amara").userName)
            }
            try copies.remove()
            try await nextWorkerSignsIn(live)
            try await expectWholeReceipts(live)
        }

        @Test func `a sign-out that a crash cuts off is finished, and the next worker signs in`() async throws {
            let live = try await LiveEnvironment.ready()
            var tokens: [String: String] = [:]
            var keys: [String: [UInt8]] = [:]
            var copies = try StateCopies(live)
            for point in points(.signOut) {
                try await arm(point, live)
                // This sign-in also shows that the next worker can sign in after the previous crash.
                let app = try live.app(1)
                let amara = try await live.signIn("Amara", through: app)
                keys[point.rawValue] = try await live.sessionKey()
                if tokens.isEmpty || Soak.isRunning {
                    try await live.searchHits("Amara")
                    for (name, token) in try await live.harvest() { tokens["\(point.rawValue) \(name)"] = token }
                }
                // If the agent died, the app is told after ten seconds that its sign-out continues. The test does not
                // wait for that.
                async let answer = app.signOut(amara)
                try await awaitDeath(at: point, live)
                try await copies.take(point.rawValue)
                try await recover(from: point, live)
                _ = try? await answer
                if Soak.isRunning { try await live.findsNothing(of: "Amara", or: tokens, keys: keys) }
                try await live.serverHearsOfEveryEnd()
            }
            try await live.findsNothing(of: "Amara", or: tokens, keys: keys)
            // A copy that was made before the files are cleared contains the session, which the destroyed key would
            // open.
            for point in [Failpoint.endRemembered, .endJournaled, .keyDestroyed, .processEnded, .browserClosing] {
                #expect(copies.holdsSession(in: point.rawValue), "\(point.rawValue)")
            }
            for (step, key) in keys {
                try copies.expectNothing(in: step, of: try live.person("Amara").userName, key: key)
            }
            try copies.remove()
            try await nextWorkerSignsIn(live)
            try await expectWholeReceipts(live)
        }

        @Test(arguments: [Failpoint.filesCleared, .readyJournaled, .answered])
        func `a swap that a crash cuts off leaves nobody, and the next worker signs in`(point: Failpoint) async throws {
            let live = try await LiveEnvironment.ready()
            try await arm(point, live)
            let (app, next) = (try live.app(1), try live.app(2))
            let amara = try await live.signIn("Amara", through: app)
            // The agent is stopped and cannot end the browser, so the next worker asks to sign in during the clean-up.
            try live.send(SIGSTOP, to: .agent)
            async let answer = seen { try await app.signOut(amara) }
            if point == .filesCleared {
                try await live.awaitEnd(of: .broker)
            } else {
                try await live.journalSays("signingOut")
                async let swap = seen { try await next.signIn() }
                try live.send(SIGCONT, to: .agent)
                try await live.awaitEnd(of: .broker)
                next.close()
                _ = try? await swap
            }
            try live.send(SIGCONT, to: .agent)
            // The broker is started again only after the apps have given up.
            app.close()
            _ = try? await answer
            try await live.start(.broker)
            try await live.journalSays("ready")
            // When the broker answers, the steps after this journal entry are done, too.
            #expect(try await live.status().session == "ready")
            #expect(try live.isClean)
            try await live.findsNothing(of: "Amara")
            try await nextWorkerSignsIn(live)
        }

        @Test func `a join that a crash cuts off is done or not done, and can be repeated`() async throws {
            let live = try await LiveEnvironment.ready()
            for point in points(.join) {
                try await live.kill(.broker)
                let join = live.path("device/join.json")
                if FileManager.default.fileExists(atPath: join) { try FileManager.default.removeItem(atPath: join) }
                try await live.start(.broker, dyingAt: point)
                try await live.awaitAgent()
                try live.seat("Carol")
                // If the session process dies after the directory has confirmed, the supervisor finishes the join.
                #expect(try await live.joins() == (point == .joinConfirmed), "\(point.rawValue)")
                try live.leave()
                try await awaitDeath(at: point, live)
                try await recover(from: point, live)
                // The device keeps a join that the directory has confirmed, even if nobody waits for it any more.
                let isJoined = [.joinWritten, .joinConfirmed].contains(point)
                #expect(try await (live.status().deviceID != nil) == isJoined, "\(point.rawValue)")
            }
            if try await live.status().deviceID == nil {
                try live.seat("Carol")
                try await live.join()
                try live.leave()
            }
            try await nextWorkerSignsIn(live)
        }

        @Test func `a first receipt that a crash cuts off is written once, and its chain is complete`() async throws {
            let live = try await LiveEnvironment.ready()
            for point in points(.firstReceipt) {
                try await live.kill(.broker)
                try live.forgetReceipts()
                try await live.start(.broker, dyingAt: point)
                try await live.awaitAgent()
                let app = try live.app(1)
                let amara = try await live.signIn("Amara", through: app)
                async let answer = app.signOut(amara)
                try await awaitDeath(at: point, live)
                try await recover(from: point, live)
                _ = try? await answer
                #expect(try live.receipts == 1, "\(point.rawValue)")
                #expect(try live.receiptStatements == 1, "\(point.rawValue)")
                try await expectWholeReceipts(live)
            }
            try await nextWorkerSignsIn(live)
            try await expectWholeReceipts(live)
        }

        @Test func `a crash near a lease loses no attempt, keeps no lease, and signs nobody in`() async throws {
            let live = try await LiveEnvironment.ready()
            try await live.allowOffline()
            let app = try live.app(1)
            try await arm(.leaseKept, live)
            try live.seat("Amara")
            _ = try? await app.signIn()
            try await live.holdsLeases(1)
            try await recover(from: .leaseKept, live)
            #expect(try live.leases.count == 1)

            try await live.kill(.server)
            try live.seat("Amara", password: "not the password", pin: nil)
            // Three wrong passwords erase the lease. This wrong password is counted before it is checked, and stays
            // counted.
            try await arm(.attemptCounted, live)
            _ = try? await app.signIn()
            try await recover(from: .attemptCounted, live)
            #expect(try await seen { try await app.signIn() }.code == .userCanceled)
            try await live.settle()
            #expect(try live.leases.count == 1)
            try await arm(.leaseErased, live)
            _ = try? await app.signIn()
            try await recover(from: .leaseErased, live)
            #expect(try live.leases == [])
            try live.seat("Amara")
            #expect(try await seen { try await app.signIn() }.code == .userCanceled)
            try await live.settle()
            try live.leave()
            #expect(try await app.accounts().current == nil)
            #expect(Set(points(.offline)) == [.leaseKept, .attemptCounted, .leaseErased])

            try await live.start(.server)
            try await live.forbidOffline()
            try await nextWorkerSignsIn(live)
        }

        @Test func `a program does not start with an unknown failpoint`() async throws {
            let live = try await LiveEnvironment.ready()
            try await live.kill(.broker)
            #expect(try await live.refusal(.broker, dyingAt: "sign-in.anywhere").contains("failpoint_unknown"))
            try await live.start(.broker)
        }

        /// Restarts the program of this failpoint so that it dies at the failpoint.
        private func arm(_ point: Failpoint, _ live: LiveEnvironment) async throws {
            let program: LiveEnvironment.Program = point.program == .agent ? .agent : .broker
            try await live.kill(program)
            try await live.start(program, dyingAt: point)
            try await live.awaitAgent()
        }

        /// Waits until the supervisor or the agent has died. Does not wait for a session process, which the supervisor
        /// restarts.
        private func awaitDeath(at point: Failpoint, _ live: LiveEnvironment) async throws {
            switch point.program {
            case .supervisor: try await live.awaitEnd(of: .broker)
            case .agent: try await live.awaitEnd(of: .agent)
            case .session: break
            }
        }

        /// Restarts the program that died, or the parent of the process that died, without a failpoint. Expects the
        /// device to become ready.
        private func recover(from point: Failpoint, _ live: LiveEnvironment) async throws {
            switch point.program {
            case .supervisor: try await live.start(.broker)
            case .agent:
                try await live.start(.agent)
                // If the agent dies, a sign-in in progress fails. A completed sign-in is a session, which is ended
                // here.
                if point.step == .signIn { try await live.settle() }
            case .session:
                // A session continues if its process dies, so the operator ends it.
                if point.step != .renewal { try await live.settle() }
                try await live.journalSays("ready")
                try await live.kill(.broker)
                try await live.start(.broker)
            }
            try await live.journalSays("ready")
            #expect(try await live.status().session == "ready", "after \(point.rawValue)")
            #expect(try live.isClean, "after \(point.rawValue)")
            try await live.awaitAgent()
        }

        /// Expects one receipt for every hand-over, even if a program died between two of the receipt's writes.
        private func expectWholeReceipts(_ live: LiveEnvironment) async throws {
            struct Report: Decodable {
                let intact: Bool
                let last: Int
            }
            let text = try await live.baton(
                "receipt", "verify", "--json", "--state", live.path("device"), mayFail: true)
            let report = try JSONDecoder().decode(Report.self, from: Data(text.utf8))
            #expect(report.intact)
            #expect(try report.last == live.receipts)
            #expect(try await live.status().receiptsDamagedAt == nil)
        }

        private func nextWorkerSignsIn(_ live: LiveEnvironment) async throws {
            let app = try live.app(2)
            let next = try await live.signIn("Bo", through: app)
            #expect(try await app.accounts().current == next)
            #expect(try await app.signOut(next))
            #expect(try live.isClean)
        }
    }
}
