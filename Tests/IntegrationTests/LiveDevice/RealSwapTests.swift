// SPDX-License-Identifier: Apache-2.0
import BrokerProtocol
import Foundation
import MSAL
import TestSupport
import Testing

extension LiveDevice {
    /// The device goes from hand to hand, with real processes; as often as `BATON_SWAPS` says.
    @Suite struct RealSwapTests {
        @Test func `in swaps one after the other nobody ever sees the worker before`() async throws {
            let world = try await World.ready()
            let swaps = ProcessInfo.processInfo.environment["BATON_SWAPS"].flatMap(Int.init) ?? 4
            let apps = (try world.app(1), try world.app(2))
            var last = try await world.signIn("Amara", through: apps.0)
            var epoch = try await world.epochCounter()
            for swap in 1...swaps {
                let (old, new) = swap % 2 == 0 ? (apps.1, apps.0) : (apps.0, apps.1)
                let name = swap % 2 == 0 ? "Amara" : "Bo"
                let leaving = last
                let session = try world.sessionProcess()
                try world.seat(name)
                #expect(try await old.signOut(leaving))
                let next = try await new.signIn().account
                try world.leave()
                try await session.waitForEnd()

                #expect(next != leaving)
                #expect(try await old.accounts().current == next)
                #expect(try await seen { try await old.token(of: leaving) }.code == .interactionRequired)
                let present = try await world.epochCounter()
                #expect(present > epoch)
                (last, epoch) = (next, present)
            }
            try await world.settle()
            #expect(try world.isClean)
            try await world.findsNothing(of: "Amara")
            try await world.findsNothing(of: "Bo")
            try await world.serverHearsOfEveryEnd()
        }

        /// Where in the end of the worker before the next one's sign-in is sent.
        enum Moment: CaseIterable, Sendable { case atOnce, saving, erasing }

        @Test(arguments: Moment.allCases)
        func `a sign-in that is sent while the worker before leaves is answered, and by nobody but the next worker`(
            moment: Moment
        ) async throws {
            let world = try await World.ready()
            let (old, new) = (try world.app(1), try world.app(2))
            let amara = try await world.signIn("Amara", through: old)
            let facts = try #require(world.facts.apps.first { $0.number == 1 })
            let client = ClientRequest(clientID: facts.clientID)
            let saver = try RawApp(world)
            let epoch = try await saver.greet(wantsEvents: moment == .saving).epoch
            if moment == .erasing { _ = try await saver.ask(.registerEraser, client.entries).get() }
            // Its connection is there before the end begins.
            #expect(try await new.accounts().current == amara)
            try world.seat("Bo")

            async let left = old.signOut(amara)
            switch moment {
            case .atOnce: break
            case .saving:
                guard case .message(.event(.willEnd(epoch, _))) = try await saver.answer() else {
                    throw TestProblem("nobody was told of the end")
                }
            case .erasing: try await world.journalLeaves("signedIn")
            }
            async let signedIn = new.signIn()
            if moment == .erasing {
                let eraser = try RawApp(world)
                try await eraser.greet(endedEpoch: epoch)
                let report = EraserReport(client: client, epoch: epoch, result: .done)
                _ = try await eraser.ask(.acknowledge, report.entries).get()
            }
            #expect(try await left)
            let next = try await signedIn.account
            let present = try await new.accounts().current
            if next == amara {
                // It came before the sign-out, while she was signed in.
                #expect(moment == .atOnce && present == nil)
            } else {
                #expect(present == next)
                #expect(try await old.accounts().current == next)
            }
        }
    }
}
