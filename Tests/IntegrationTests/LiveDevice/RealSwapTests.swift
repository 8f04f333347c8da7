// SPDX-License-Identifier: Apache-2.0
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
    }
}
