// SPDX-License-Identifier: Apache-2.0
import BrokerProtocol
import Foundation
import Glibc
import MSAL
import TestSupport
import Testing
import UnixSocket

extension LiveFaults {
    /// What was acknowledged survives `kill -9` of any program; a live session ends with the supervisor.
    @Suite struct FaultTests {
        @Test func `the worker's session ends with the supervisor`() async throws {
            let world = try await World.ready()
            let app = try world.app(1)
            let impatient = try world.app(1, patience: .seconds(1))
            let amara = try await world.signIn("Amara", through: app)
            #expect(try await app.accounts().current == amara)
            let epoch = try await world.epochCounter()
            let session = try world.sessionProcess()
            #expect(try !world.isClean)

            try await world.kill(.broker)
            try await session.waitForEnd()
            // A broker that is away is no answer, least of all "nobody".
            #expect(try await seen { try await impatient.accounts() }.internalCode == .internalBrokerNotAvailable)

            try await world.start(.broker)
            #expect(try await world.status().session != "signedIn")
            try await world.settle()
            #expect(try world.isClean)
            #expect(try await world.epochCounter() > epoch)
            let told = try await app.accounts()
            #expect(told.current == nil && told.previous == amara)
            #expect(try await seen { try await app.token(of: amara) }.code == .interactionRequired)
            try await world.serverHearsOfEveryEnd()
        }

        @Test func `a device whose broker has not come up after a boot is managed, not personal`() async throws {
            let world = try await World.ready()
            try await world.kill(.broker)
            // A boot empties the folder of sockets.
            try FileManager.default.removeItem(atPath: world.path("run/broker.sock"))
            let impatient = try world.app(1, isTold: false, patience: .seconds(1))
            #expect(try await seen { try await impatient.isSharedDevice() }.internalCode == .internalBrokerNotAvailable)
            try await world.start(.broker)
            #expect(try await world.app(1, isTold: false).isSharedDevice())
        }

        @Test func `a session goes on where its process dies, unless it dies again and again`() async throws {
            let world = try await World.ready()
            let app = try world.app(1)
            let amara = try await world.signIn("Amara", through: app)
            let epoch = try await world.status().epoch
            for _ in 1...3 {
                let session = try world.sessionProcess()
                session.kill()
                try await session.waitForEnd()
                // Nobody sits at the browser: a prompt would fail.
                #expect(try await app.token(of: amara, refreshed: true).account == amara)
                #expect(try await app.accounts().current == amara)
                #expect(try await world.status().epoch == epoch)
            }
            try world.sessionProcess().kill()
            try await world.journalLeaves("signedIn")
            try await world.settle()
            #expect(try await app.accounts().current == nil)
            #expect(try world.isClean)
        }

        @Test func `a broker whose file is replaced starts sessions of its own version`() async throws {
            let world = try await World.ready()
            try await world.kill(.broker)
            let copy = world.path("batond-of-today")
            try FileManager.default.copyItem(atPath: try RunningProgram.built("batond"), toPath: copy)
            try await world.start(.broker, file: copy)
            try FileManager.default.removeItem(atPath: copy)
            try Data("#!/bin/false\n".utf8).write(to: URL(filePath: copy))
            try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: copy)

            let app = try world.app(1)
            let amara = try await world.signIn("Amara", through: app)
            let session = try world.sessionProcess()
            session.kill()
            try await session.waitForEnd()
            #expect(try await app.token(of: amara, refreshed: true).account == amara)
            #expect(try await app.signOut(amara))
            #expect(try await app.accounts().current == nil)
            try await world.kill(.broker)
            try FileManager.default.removeItem(atPath: copy)
        }

        @Test func `a session outlives the server, and says so while the server is away`() async throws {
            let world = try await World.ready()
            let app = try world.app(1)
            let amara = try await world.signIn("Amara", through: app)

            try await world.kill(.server)
            let failure = try await seen { try await app.token(of: amara, refreshed: true) }
            #expect(failure.code == .internal && failure.internalCode == .internalErrorUnhandledResponse)
            // What the broker holds in memory needs no server.
            #expect(try await app.token(of: amara).account == amara)

            try await world.start(.server)
            #expect(try await app.token(of: amara, refreshed: true).account == amara)
        }

        @Test func `a sign-out needs no server, which hears of it when it is back and keeps it`() async throws {
            let world = try await World.ready()
            let app = try world.app(1)
            let amara = try await world.signIn("Amara", through: app)
            let token = try await app.token(of: amara).accessToken
            #expect(try await world.me(token) == 200)

            try await world.kill(.server)
            #expect(try await app.signOut(amara))
            #expect(try world.isClean)
            #expect(try world.endedSessions().map(\.fromBrowser) == [true])

            try await world.start(.server)
            try await world.serverHearsOfEveryEnd()
            #expect(try await world.me(token) == 401)
            try await world.kill(.server)
            try await world.start(.server)
            #expect(try await world.me(token) == 401)
        }

        @Test func `a sign-out that was answered needs nothing more of a supervisor that is killed then`() async throws
        {
            let world = try await World.ready()
            let app = try world.app(1)
            let amara = try await world.signIn("Amara", through: app)
            #expect(try await app.accounts().current == amara)
            #expect(try await app.signOut(amara))
            try await world.kill(.broker)

            try await world.start(.broker)
            #expect(try await world.status().session == "ready")
            #expect(try world.isClean)
            let told = try await app.accounts()
            #expect(told.current == nil && told.previous == amara)
        }

        @Test func `a sign-out that was committed is finished at the next start`() async throws {
            let world = try await World.ready()
            let app = try world.app(1)
            let amara = try await world.signIn("Amara", through: app)
            // The browser's end hangs, so the sign-out is under way until the agent goes on.
            try world.send(SIGSTOP, to: .agent)
            async let answer = seen { try await app.signOut(amara) }
            try await world.journalSays("signingOut")
            try await world.kill(.broker)
            #expect(try await answer.internalCode == .internalErrorBrokerResponseNotReceived)
            #expect(try !world.isClean)

            try await world.start(.broker)
            let status = try await world.status()
            #expect(status.session == "signingOut" && status.pending.contains("browser"))
            #expect(try await app.accounts().current == nil)
            try world.send(SIGCONT, to: .agent)
            try await world.settle()
            #expect(try world.isClean)
        }

        @Test func `a sign-out waits for the browser's end where the agent died`() async throws {
            let world = try await World.ready()
            let app = try world.app(1)
            let amara = try await world.signIn("Amara", through: app)
            try await world.kill(.agent)
            async let answer = app.signOut(amara)
            try await world.journalSays("signingOut")
            #expect(try await world.status().pending == ["browser"])

            try await world.start(.agent)
            #expect(try await answer)
            #expect(try world.isClean)
        }

        @Test(arguments: [
            "", "{", "null", #"{"state":"ready"}"#,
            #"{"state":"unknown","epoch":"1.00000000000000000000000000000000"}"#,
        ])
        func `a journal that cannot be read is never taken for nobody`(journal: String) async throws {
            let world = try await World.ready()
            let file = URL(filePath: world.path("device/journal"))
            let good = try Data(contentsOf: file)
            try await world.kill(.broker)
            try Data(journal.utf8).write(to: file)
            defer { #expect(throws: Never.self) { try good.write(to: file) } }
            try await world.start(.broker)
            #expect(try await world.status().session == "quarantined")
            await #expect(throws: (any Error).self) { try await world.app(1, patience: .seconds(1)).accounts() }
            try await world.kill(.broker)
        }

        @Test func `a joined device without a journal is not taken for a new one`() async throws {
            let world = try await World.ready()
            let file = URL(filePath: world.path("device/journal"))
            let good = try Data(contentsOf: file)
            try await world.kill(.broker)
            try FileManager.default.removeItem(at: file)
            defer { #expect(throws: Never.self) { try good.write(to: file) } }
            try await world.start(.broker)
            #expect(try await world.status().session == "quarantined")
            try await world.kill(.broker)
        }
    }
}
