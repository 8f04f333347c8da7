// SPDX-License-Identifier: Apache-2.0
import Authenticator
import BrokerProtocol
import Foundation
import Receipts
import TestSupport
import Testing

/// Somebody, or a server of the time, sets the device's clock in the middle of a session.
@Suite(.timeLimit(.minutes(10))) struct ClockJumpTests {
    private static let years = 20 * 365 * 86_400

    @Test(arguments: [years, -years, 3600, -3600, -1_795_244_100 + 1])
    func `a session neither ends nor stays because the clock was set, and its receipt is in the chain`(jump: Int)
        async throws
    {
        try await Scratch.with { scratch in
            try await SupervisorWorld.with(scratch) { world in
                let agent = try world.agent(of: 1000)
                try await world.visit(through: agent)
                try await world.visit(through: agent) {
                    let epoch = try await world.status().epoch
                    world.clock.setWall(by: jump)
                    world.clock.pass(.seconds(60))
                    #expect(try await world.status().session == "signedIn")
                    #expect(try await world.status().epoch == epoch)
                }
                world.clock.setWall(by: -jump)
                try await world.visit(through: agent)
            }
            let files = DeviceFiles(root: Directory(path: scratch.path("device")))
            let key = try #require(try ReceiptKey(in: files.keyStore))
            let chain = ReceiptFile(bytes: try ReceiptBook(directory: files.receipts).export())
            let verdict = ChainVerifier(.key(key.published)).verdict(on: chain)
            #expect(verdict.isIntact && verdict.last == 3)
        }
    }

    @Test func `idle time is measured by a clock that nobody sets`() async throws {
        try await Scratch.with { scratch in
            try await SupervisorWorld.with(scratch) { world in
                let agent = try world.agent(of: 1000)
                let epoch = try await world.signIn(through: agent)
                world.clock.setWall(by: -Self.years)
                world.clock.pass(.seconds(15 * 60))
                guard case .close = try await agent.order() else { throw TestProblem("no close") }
                #expect(try world.door() == .idle)
                agent.say(.closed(epoch: epoch))
                #expect(try await world.status().session == "ready")
            }
        }
    }

    @Test(arguments: [years, -years])
    func `whom an app was told of is forgotten a day after the end, also where the clock was set`(jump: Int)
        async throws
    {
        try await Scratch.with { scratch in
            let reader = try #require(AccountReader(clientID: "client", name: ""))
            let files = DeviceFiles(root: Directory(path: scratch.path("device")))
            let ended = 1_795_244_100
            try files.root.make()
            var random = SystemRandomNumberGenerator()
            try files.write(JournalRecord.ready(Epoch(random: &random, counter: 1)))
            try files.write([reader: [Principal(homeAccountID: "a.b", epoch: "1.x", endedAt: ended)]])
            try await SupervisorWorld.with(scratch) { world in
                _ = try await world.status()
                #expect(try files.principals()[reader]?.count == 1)
                world.clock.setWall(by: jump)
                world.clock.pass(.seconds(60 * 60))
                _ = try await world.status()
                #expect(try files.principals().isEmpty)
            }
        }
    }
}
