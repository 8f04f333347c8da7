// SPDX-License-Identifier: Apache-2.0
import Foundation
import Glibc
import MSAL
import TestSupport
import Testing

extension LiveBrowser {
    /// What a worker's session holds in memory is in one process alone, and gone with it.
    @Suite struct MemoryTests {
        @Test func `the session's secrets are in its process alone, and in no process after the sign-out`()
            async throws
        {
            let world = try await World.ready()
            let app = try world.app(1)
            let amara = try await world.signIn("Amara", through: app)
            var held: [String: String] = [:]
            for number in [1, 2] {
                let token = try await world.app(number).token(of: amara, refreshed: true).accessToken
                held["token \(number)"] = String(token.suffix(80))
            }
            let session = try world.sessionProcess()
            let key = try await world.sessionKey()
            var copies = try StateCopies(world)
            try await copies.take("signed-in")
            let primary = try primary(in: copies.path(of: "signed-in"), under: key)
            try copies.remove()
            held["primary token"] = String(primary.token.suffix(80))
            let keys = ["session key": key, "primary key": primary.key]
            let there = ["user name", "name"] + held.keys + keys.keys
            let texts = try world.canaries(of: "Amara").merging(held) { mine, _ in mine }

            // The same search finds each secret where it has to be.
            let processes = try ["supervisor": world.pid(of: .broker), "agent": world.pid(of: .agent)]
            let others = processes.flatMap { ["--process", "\($0)=\($1)"] }
            try await world.search(
                texts, keys: keys,
                others + [
                    "--process", "session=\(session.pid)",
                    "--expect-hit", "session=" + there.sorted().joined(separator: ","),
                    // It holds the memory file for its child.
                    "--expect-hit", "supervisor=session key", "--expect-none-in", "agent",
                ])
            try await world.search(
                texts, keys: ["primary key": primary.key],
                ["--process", "supervisor=\(world.pid(of: .broker))", "--expect-none"])

            #expect(try await app.signOut(amara))
            try await session.waitForEnd()
            let next = try world.sessionProcess().pid
            #expect(next != session.pid)
            try await world.search(texts, keys: keys, others + ["--process", "session=\(next)", "--expect-none"])
        }

        @Test func `no other program of the user reads the memory of the broker or its agent`() async throws {
            let world = try await World.ready()
            // Root without its capabilities is a user like every other one; so both sides have to be without them here.
            let humble = getuid() == 0 ? ["/usr/bin/setpriv", "--bounding-set=-all", "--inh-caps=-all", "--"] : []
            for program in [World.Program.broker, .agent] {
                try await world.kill(program)
                try await world.start(program, through: humble)
            }
            // A new session process keeps its memory to itself before it answers an app, but not from its first instruction on.
            #expect(try await world.app(1).isSharedDevice())
            let broker = [try world.pid(of: .broker), try world.pid(of: .agent), try world.sessionProcess().pid]
            try await world.canary(["same-user"] + broker.map { "\($0)" }, through: humble)
            for program in [World.Program.broker, .agent] { try await world.kill(program) }
        }

        /// The primary refresh token of the session and the key beside it, as they lie sealed.
        private func primary(in copy: String, under key: [UInt8]) throws -> (token: String, key: [UInt8]) {
            struct Sealed: Decodable {
                let token: String
                let key: Data
            }
            var ring = try KeyRing(of: copy)
            ring.add(key: key)
            for opened in ring.openings() {
                guard let sealed = try? JSONDecoder().decode(Sealed.self, from: Data(opened)) else { continue }
                return (sealed.token, [UInt8](sealed.key))
            }
            throw TestProblem("the sealed session does not open")
        }
    }
}
