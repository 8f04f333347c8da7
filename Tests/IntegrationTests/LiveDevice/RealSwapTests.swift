// SPDX-License-Identifier: Apache-2.0
import BrokerProtocol
import Foundation
import MSAL
import TestSupport
import Testing

extension LiveDevice {
    /// Hand-overs between workers with real processes, `BATON_SWAPS` times.
    @Suite struct RealSwapTests {
        @Test func `in successive swaps nobody ever sees the previous worker`() async throws {
            let live = try await LiveEnvironment.ready()
            let swaps = ProcessInfo.processInfo.environment["BATON_SWAPS"].flatMap(Int.init) ?? 4
            let apps = (try live.app(1), try live.app(2))
            var last = try await live.signIn("Amara", through: apps.0)
            var epoch = try await live.epochCounter()
            for swap in 1...swaps {
                let (old, new) = swap % 2 == 0 ? (apps.1, apps.0) : (apps.0, apps.1)
                let name = swap % 2 == 0 ? "Amara" : "Bo"
                let leaving = last
                let session = try live.sessionProcess()
                try live.seat(name)
                #expect(try await old.signOut(leaving))
                let next = try await new.signIn().account
                try live.leave()
                try await session.waitForEnd()

                #expect(next != leaving)
                #expect(try await old.accounts().current == next)
                #expect(try await seen { try await old.token(of: leaving) }.code == .interactionRequired)
                let present = try await live.epochCounter()
                #expect(present > epoch)
                (last, epoch) = (next, present)
            }
            try await live.settle()
            #expect(try live.isClean)
            try await live.findsNothing(of: "Amara")
            try await live.findsNothing(of: "Bo")
            try await live.serverHearsOfEveryEnd()
        }

        /// When the next worker's sign-in is sent, relative to the steps of the last worker's sign-out.
        enum Moment: CaseIterable, Sendable { case atOnce, saving, erasing }

        @Test(arguments: Moment.allCases)
        func `a sign-in that is sent during a sign-out is answered once, for the next worker only`(
            moment: Moment
        ) async throws {
            let live = try await LiveEnvironment.ready()
            let (old, new) = (try live.app(1), try live.app(2))
            let amara = try await live.signIn("Amara", through: old)
            let facts = try #require(live.facts.apps.first { $0.number == 1 })
            let client = ClientRequest(clientID: facts.clientID)
            let saver = try RawApp(live)
            let epoch = try await saver.greet(wantsEvents: moment == .saving).epoch
            if moment == .erasing { _ = try await saver.ask(.registerEraser, client.entries).get() }
            // The new app's connection is open before the sign-out begins.
            #expect(try await new.accounts().current == amara)
            try live.seat("Bo")

            async let left = old.signOut(amara)
            switch moment {
            case .atOnce: break
            case .saving:
                guard case .message(.event(.willEnd(epoch, _))) = try await saver.answer() else {
                    throw TestProblem("nobody was told of the end")
                }
            case .erasing: try await live.journalLeaves("signedIn")
            }
            async let signedIn = new.signIn()
            if moment == .erasing {
                let eraser = try RawApp(live)
                try await eraser.greet(endedEpoch: epoch)
                let report = EraserReport(client: client, epoch: epoch, result: .done)
                _ = try await eraser.ask(.acknowledge, report.entries).get()
            }
            #expect(try await left)
            let next = try await signedIn.account
            let present = try await new.accounts().current
            if next == amara {
                // The sign-in arrived before the sign-out, while Amara was signed in.
                #expect(moment == .atOnce && present == nil)
            } else {
                #expect(present == next)
                #expect(try await old.accounts().current == next)
            }
        }
    }
}
