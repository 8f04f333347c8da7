// SPDX-License-Identifier: Apache-2.0
import Foundation
import Glibc
import MSAL
import TestSupport
import Testing

extension LiveBrowser {
    /// A worker's session data is in the memory of one process only, and is gone when that process ends.
    @Suite struct MemoryTests {
        @Test func `the session's secrets are in its process alone, and in no process after the sign-out`()
            async throws
        {
            let live = try await LiveEnvironment.ready()
            let app = try live.app(1)
            let amara = try await live.signIn("Amara", through: app)
            var held: [String: String] = [:]
            for number in [1, 2] {
                let token = try await live.app(number).token(of: amara, refreshed: true).accessToken
                held["token \(number)"] = String(token.suffix(80))
            }
            let session = try live.sessionProcess()
            let key = try await live.sessionKey()
            var copies = try StateCopies(live)
            try await copies.take("signed-in")
            let primary = try primary(in: copies.path(of: "signed-in"), under: key)
            try copies.remove()
            held["primary token"] = String(primary.token.suffix(80))
            let keys = ["session key": key, "primary key": primary.key]
            let there = ["user name", "name"] + held.keys + keys.keys
            let texts = try live.canaries(of: "Amara").merging(held) { mine, _ in mine }

            // As a control, the same search finds each secret where it must be.
            let processes = try ["supervisor": live.pid(of: .broker), "agent": live.pid(of: .agent)]
            let others = processes.flatMap { ["--process", "\($0)=\($1)"] }
            try await live.search(
                texts, keys: keys,
                others + [
                    "--process", "session=\(session.pid)",
                    "--expect-hit", "session=" + there.sorted().joined(separator: ","),
                    // The supervisor holds the memory file for the session process.
                    "--expect-hit", "supervisor=session key", "--expect-none-in", "agent",
                ])
            try await live.search(
                texts, keys: ["primary key": primary.key],
                ["--process", "supervisor=\(live.pid(of: .broker))", "--expect-none"])

            #expect(try await app.signOut(amara))
            try await session.waitForEnd()
            let next = try live.sessionProcess().pid
            #expect(next != session.pid)
            try await live.search(texts, keys: keys, others + ["--process", "session=\(next)", "--expect-none"])
        }

        @Test func `no other program of the user reads the memory of the broker or its agent`() async throws {
            let live = try await LiveEnvironment.ready()
            // Without capabilities, root is a user like any other. Here the victims and the reader have no
            // capabilities.
            let humble = getuid() == 0 ? ["/usr/bin/setpriv", "--bounding-set=-all", "--inh-caps=-all", "--"] : []
            for program in [LiveEnvironment.Program.broker, .agent] {
                try await live.kill(program)
                try await live.start(program, through: humble)
            }
            // A new session process protects its memory some time after its start, but before it answers an app.
            #expect(try await live.app(1).isSharedDevice())
            let broker = [try live.pid(of: .broker), try live.pid(of: .agent), try live.sessionProcess().pid]
            try await live.canary(["same-user"] + broker.map { "\($0)" }, through: humble)
            for program in [LiveEnvironment.Program.broker, .agent] { try await live.kill(program) }
        }

        /// The session's primary refresh token and its key, from the copy's sealed session.
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
