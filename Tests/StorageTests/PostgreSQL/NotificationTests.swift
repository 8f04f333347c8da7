// SPDX-License-Identifier: Apache-2.0
import Foundation
import Storage
import StoragePostgreSQL
import TestSupport
import Testing

/// Announcements from one node to another.
@Suite(.timeLimit(.minutes(2))) struct NotificationTests {
    /// Two nodes. The second one receives announcements.
    private func withNodes(
        _ body: (PostgreSQLDatabase, PostgreSQLDatabase, Observed, PostgreSQLConfiguration) async throws -> Void
    ) async throws {
        try await withSchema { configuration in
            let first = try await PostgreSQLDatabase(configuration, migrations: [people])
            let second = try await PostgreSQLDatabase(configuration, migrations: [people])
            let observed = Observed(second)
            await observed.gap()
            try await body(first, second, observed, configuration)
        }
    }

    @Test func `a committed change reaches the observers of every node once, and a rolled-back one nobody`()
        async throws
    {
        struct Refusal: Error {}
        try await withNodes { first, second, observed, configuration in
            let own = Observed(first)
            await own.gap()
            await #expect(throws: Refusal.self) {
                try await first.write { connection in
                    try connection.announce(Birthday(of: "nobody"))
                    throw Refusal()
                }
            }
            try await first.write { connection in
                for name in ["a", "b", "a"] { try connection.announce(Birthday(of: name)) }
            }
            #expect(await observed.birthdays(2) == ["a", "b"])
            try await second.write { try $0.announce(Birthday(of: "c")) }
            #expect(await observed.birthdays(1) == ["c"])
            // The node's own observers are notified within the process, and not a second time by the server.
            #expect(await own.birthdays(4) == ["a", "b", "a", "c"])

            // Another schema of the same database uses another channel.
            var other = configuration
            other.schema += "_b"
            let stranger = try await PostgreSQLDatabase(other, migrations: [people])
            try await stranger.write { try $0.announce(Birthday(of: "d")) }
            try await first.write { try $0.announce(Birthday(of: "e")) }
            #expect(await observed.birthdays(1) == ["e"])
        }
    }

    @Test func `a node whose listening connection is lost connects again and learns of the gap`() async throws {
        try await withNodes { first, _, observed, configuration in
            for round in 0..<3 {
                try await first.write { try $0.announce(Birthday(of: "before-\(round)")) }
                #expect(await observed.birthdays(1) == ["before-\(round)"])
                let ended = try await first.write { connection in
                    try connection.rows(
                        """
                        SELECT pg_terminate_backend(pid, 60000) AS ended FROM pg_stat_activity
                        WHERE query = \("LISTEN baton_" + configuration.schema)
                        """)
                }
                #expect(ended.count == 1)
                await observed.gap()
            }
            try await first.write { try $0.announce(Birthday(of: "after")) }
            #expect(await observed.birthdays(1) == ["after"])
        }
    }

    @Test func `a text from another program that cannot be decoded counts as a gap`() async throws {
        try await withNodes { first, _, observed, configuration in
            let channel = "baton_" + configuration.schema
            try await first.write { _ = try $0.rows("SELECT pg_notify(\(channel), 'garbage') AS done") }
            try await first.write { try $0.announce(Birthday(of: "a")) }
            #expect(await observed.birthdays(2) == ["gap", "a"])
            // A later version of the program may announce changes of a kind that this version does not know.
            let foreign = "1 00000000000000ff\nwedding a\nbirthday b"
            try await first.write { _ = try $0.rows("SELECT pg_notify(\(channel), \(foreign)) AS done") }
            #expect(await observed.birthdays(1) == ["b"])
        }
    }

    @Test func `a transaction with very many changes makes every node check everything`() async throws {
        try await withNodes { first, _, observed, _ in
            try await first.write { connection in
                for number in 0..<40_000 { try connection.announce(Birthday(of: "person-\(number)")) }
            }
            #expect(await observed.birthdays(1) == ["gap"])
        }
    }

    @Test func `announcements arrive again after the server was killed`() async throws {
        try await Scratch.with { scratch in
            let cluster = try await PostgreSQLCluster.start(in: scratch)
            try await withSchema(of: cluster) { configuration in
                let first = try await PostgreSQLDatabase(configuration, migrations: [people])
                let second = try await PostgreSQLDatabase(configuration, migrations: [people])
                let observed = Observed(second)
                await observed.gap()
                try await cluster.kill()
                try await cluster.start()
                await observed.gap()
                try await first.write { try $0.announce(Birthday(of: "a")) }
                #expect(await observed.birthdays(1) == ["a"])
            }
        }
    }

    /// A connection pool between node and server may give `LISTEN` and the next statement to different connections.
    @Test func `a program that drops notifications is noticed at the next check`() async throws {
        try await Scratch.with { scratch in
            try await withSchema { configuration in
                try NotificationDropper.start(cluster: try await PostgreSQLCluster.shared(), in: scratch)
                var deaf = configuration
                deaf.server = .socket(folder: scratch.path)
                deaf.limits.announcementCheck = .milliseconds(50)
                let database = try await PostgreSQLDatabase(deaf, migrations: [people])
                let observed = Observed(database)
                for _ in 0..<3 { await observed.gap() }

                var well = configuration
                well.limits.announcementCheck = .milliseconds(50)
                let first = try await PostgreSQLDatabase(well, migrations: [people])
                let heard = Observed(first)
                await heard.gap()
                // While the other node gets ten gaps, this node gets none.
                for _ in 0..<10 { await observed.gap() }
                try await first.write { try $0.announce(Birthday(of: "a")) }
                #expect(await heard.birthdays(1) == ["a"])
            }
        }
    }
}
