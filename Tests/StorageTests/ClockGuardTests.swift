// SPDX-License-Identifier: Apache-2.0
import Storage
import StoragePostgreSQL
import Synchronization
import TestSupport
import Testing

/// What a node notices about its machine's clock between two comparisons with the database server's clock.
@Suite struct ClockGuardTests {
    /// A machine's two clocks, which only the test moves.
    private final class Machine: Sendable {
        private let state = Mutex((time: Timestamp(seconds: 1_800_000_000), steady: ContinuousClock.now))

        var clock: ClockGuard {
            ClockGuard(now: { self.state.withLock(\.time) }, steady: { self.state.withLock(\.steady) })
        }

        func pass(_ duration: Duration) {
            state.withLock { ($0.time, $0.steady) = ($0.time + duration, $0.steady + duration) }
        }

        func set(by duration: Duration) { state.withLock { $0.time = $0.time + duration } }
    }

    @Test func `time that passes is no difference, and a clock that is set is one at once`() {
        let machine = Machine()
        let clock = machine.clock
        machine.pass(.seconds(86400))
        #expect(clock.difference == .zero && clock.isGood)
        for (step, isGood) in [(9, true), (2, false), (-21, false), (2, true), (300, false)] {
            machine.set(by: .seconds(step))
            #expect(clock.isGood == isGood, "\(clock.difference)")
        }
        #expect(clock.difference == .seconds(292))
        // The next comparison replaces what was known before.
        clock.confirm(.seconds(2))
        #expect(clock.difference == .seconds(2) && clock.isGood)
        machine.set(by: .seconds(8))
        #expect(!clock.isGood)
    }

    @Test func `while a node's clock is wrong it decides nothing, and it still learns the server's time`() async throws
    {
        try await Backend.postgreSQL.withLocation { location in
            guard case .server(let configuration) = location else { throw TestProblem("no server") }
            let machine = Machine()
            let clock = machine.clock
            let database = ClockGuardedDatabase(
                try await PostgreSQLDatabase(configuration, migrations: [people]), clock: clock)
            func write() async throws {
                try await database.write { try $0.execute("INSERT INTO person (id) VALUES ('x')") }
            }
            machine.set(by: .seconds(-120))
            #expect(await refusal(.unavailable) { try await write() }.contains("was set by -120 s"))
            _ = await refusal(.unavailable) { _ = try await database.read { try $0.rows("SELECT id FROM person") } }
            _ = await refusal(.unavailable) { _ = try await database.exclusively("sweep") { 1 } }
            let time = try await database.serverTime()
            #expect(time != nil)
            machine.set(by: .seconds(120))
            try await write()
            let rows = try await database.read { try $0.rows("SELECT id FROM person") }
            #expect(rows.count == 1)
            #expect(database.isShared && database.load.limit == configuration.limits.connections)
        }
    }
}
