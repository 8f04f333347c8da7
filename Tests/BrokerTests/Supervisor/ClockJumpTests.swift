// SPDX-License-Identifier: Apache-2.0
import BrokerIPC
import BrokerProtocol
import BrokerSupervisor
import DeviceKeyStore
import DeviceSettings
import Files
import Foundation
import Receipts
import TestSupport
import Testing

/// The device's clock is set during a session, by a person or by a time server.
@Suite(.timeLimit(.minutes(10))) struct ClockJumpTests {
    private static let years = 20 * 365 * 86_400

    @Test(arguments: [years, -years, 3600, -3600, -1_795_244_100 + 1])
    func `setting the clock neither ends nor prolongs a session, and its receipt is in the chain`(jump: Int)
        async throws
    {
        try await Scratch.with { scratch in
            try await SupervisorFixture.with(scratch) { fixture in
                let agent = try fixture.agent(of: 1000)
                try await fixture.playSession(through: agent)
                try await fixture.playSession(through: agent) {
                    let epoch = try await fixture.epoch()
                    fixture.clock.setWall(by: jump)
                    fixture.clock.pass(.seconds(60))
                    #expect(try await fixture.status().session == "signedIn")
                    #expect(try await fixture.epoch() == epoch)
                }
                fixture.clock.setWall(by: -jump)
                try await fixture.playSession(through: agent)
            }
            let files = DeviceFiles(root: Directory(path: scratch.path("device")))
            let key = try #require(try ReceiptKey(in: files.keyStore))
            let chain = ReceiptFile(bytes: try ReceiptStore(directory: files.receipts).export())
            let verdict = ChainVerifier(.key(key.published)).verdict(on: chain)
            #expect(verdict.isIntact && verdict.last == 3)
        }
    }

    @Test func `idle time is measured by a clock that cannot be set`() async throws {
        try await Scratch.with { scratch in
            try await SupervisorFixture.with(scratch) { fixture in
                let agent = try fixture.agent(of: 1000)
                let epoch = try await fixture.signIn(through: agent)
                fixture.clock.setWall(by: -Self.years)
                fixture.clock.pass(.seconds(15 * 60))
                guard case .close = try await agent.order() else { throw TestProblem("no close") }
                #expect(try fixture.trigger() == .idle)
                agent.say(.closed(epoch: epoch))
                #expect(try await fixture.status().session == "ready")
            }
        }
    }

    @Test(arguments: [years, -years])
    func `an account that was reported to an app is forgotten a day after its end, even if the clock was set`(jump: Int)
        async throws
    {
        try await Scratch.with { scratch in
            let reader = try #require(AccountReader(clientID: "client", name: ""))
            let files = DeviceFiles(root: Directory(path: scratch.path("device")))
            let ended = 1_795_244_100
            try files.root.make()
            var random = SystemRandomNumberGenerator()
            try files.prepare()
            try files.write(JournalRecord.ready(Epoch(random: &random, counter: 1)))
            try files.write([
                reader: [
                    AccountTombstone(
                        homeAccountID: "a.b", epoch: try #require(Epoch("1." + String(repeating: "0", count: 32))),
                        endedAt: ended)
                ]
            ])
            try await SupervisorFixture.with(scratch) { fixture in
                _ = try await fixture.status()
                #expect(try files.tombstones()[reader]?.count == 1)
                fixture.clock.setWall(by: jump)
                fixture.clock.pass(.seconds(60 * 60))
                _ = try await fixture.status()
                #expect(try files.tombstones().isEmpty)
            }
        }
    }
}
