// SPDX-License-Identifier: Apache-2.0
import BrokerIPC
import BrokerProtocol
import Foundation
import Glibc
import MSAL
import TestSupport
import Testing
import UnixSocket

extension LiveFaults {
    /// Acknowledged data survives `kill -9` of any program; a live session ends with the supervisor.
    @Suite struct FaultTests {
        @Test func `the worker's session ends with the supervisor`() async throws {
            let live = try await LiveEnvironment.ready()
            let app = try live.app(1)
            let impatient = try live.app(1, patience: .seconds(1))
            let amara = try await live.signIn("Amara", through: app)
            #expect(try await app.accounts().current == amara)
            let epoch = try await live.epochCounter()
            let session = try live.sessionProcess()
            #expect(try !live.isClean)

            try await live.kill(.broker)
            try await session.waitForEnd()
            // While the broker is down, calls fail. They do not report that nobody is signed in.
            #expect(try await seen { try await impatient.accounts() }.internalCode == .internalBrokerNotAvailable)

            try await live.start(.broker)
            #expect(try await live.status().session != "signedIn")
            try await live.settle()
            #expect(try live.isClean)
            #expect(try await live.epochCounter() > epoch)
            let told = try await app.accounts()
            #expect(told.current == nil && told.previous == amara)
            #expect(try await seen { try await app.token(of: amara) }.code == .interactionRequired)
            try await live.serverHearsOfEveryEnd()
        }

        @Test func `a device whose broker has not started after a boot is managed, not personal`() async throws {
            let live = try await LiveEnvironment.ready()
            try await live.kill(.broker)
            // A boot empties the folder of sockets.
            try FileManager.default.removeItem(atPath: live.path("run/broker.sock"))
            let impatient = try live.app(1, isTold: false, patience: .seconds(1))
            #expect(try await seen { try await impatient.isSharedDevice() }.internalCode == .internalBrokerNotAvailable)
            try await live.start(.broker)
            #expect(try await live.app(1, isTold: false).isSharedDevice())
        }

        @Test func `a session continues when its process dies, unless it dies repeatedly`() async throws {
            let live = try await LiveEnvironment.ready()
            let app = try live.app(1)
            let amara = try await live.signIn("Amara", through: app)
            let epoch = try await live.status().epoch
            for _ in 1...3 {
                let session = try live.sessionProcess()
                session.kill()
                try await session.waitForEnd()
                // Nobody sits at the browser: a prompt would fail.
                #expect(try await app.token(of: amara, refreshed: true).account == amara)
                #expect(try await app.accounts().current == amara)
                #expect(try await live.status().epoch == epoch)
            }
            try live.sessionProcess().kill()
            try await live.journalLeaves("signedIn")
            try await live.settle()
            #expect(try await app.accounts().current == nil)
            #expect(try live.isClean)
        }

        @Test func `a broker whose file is replaced starts session processes of its own version`() async throws {
            let live = try await LiveEnvironment.ready()
            try await live.kill(.broker)
            let copy = try live.scratch.install(try RunningProgram.built("batond"), as: "batond-of-today")
            try await live.start(.broker, file: copy)
            try FileManager.default.removeItem(atPath: copy)
            try Data("#!/bin/false\n".utf8).write(to: URL(filePath: copy))
            try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: copy)

            let app = try live.app(1)
            let amara = try await live.signIn("Amara", through: app)
            let session = try live.sessionProcess()
            session.kill()
            try await session.waitForEnd()
            #expect(try await app.token(of: amara, refreshed: true).account == amara)
            #expect(try await app.signOut(amara))
            #expect(try await app.accounts().current == nil)
            try await live.kill(.broker)
            try FileManager.default.removeItem(atPath: copy)
        }

        @Test func `a session outlives the server, and calls that need it fail meanwhile`() async throws {
            let live = try await LiveEnvironment.ready()
            let app = try live.app(1)
            let amara = try await live.signIn("Amara", through: app)

            try await live.kill(.server)
            let failure = try await seen { try await app.token(of: amara, refreshed: true) }
            #expect(failure.code == .internal && failure.internalCode == .internalErrorUnhandledResponse)
            // The broker answers from its memory without the server.
            #expect(try await app.token(of: amara).account == amara)

            try await live.start(.server)
            #expect(try await app.token(of: amara, refreshed: true).account == amara)
        }

        @Test func `a sign-out needs no server, and the server records it later`() async throws {
            let live = try await LiveEnvironment.ready()
            let app = try live.app(1)
            let amara = try await live.signIn("Amara", through: app)
            let token = try await app.token(of: amara).accessToken
            #expect(try await live.me(token) == 200)

            try await live.kill(.server)
            #expect(try await app.signOut(amara))
            #expect(try live.isClean)
            #expect(try live.endedSessions().map(\.fromBrowser) == [true])

            try await live.start(.server)
            try await live.serverHearsOfEveryEnd()
            #expect(try await live.me(token) == 401)
            try await live.kill(.server)
            try await live.start(.server)
            #expect(try await live.me(token) == 401)
        }

        @Test func `a sign-out that was answered is complete even if the supervisor is then killed`() async throws {
            let live = try await LiveEnvironment.ready()
            let app = try live.app(1)
            let amara = try await live.signIn("Amara", through: app)
            #expect(try await app.accounts().current == amara)
            #expect(try await app.signOut(amara))
            try await live.kill(.broker)

            try await live.start(.broker)
            #expect(try await live.status().session == "ready")
            #expect(try live.isClean)
            let told = try await app.accounts()
            #expect(told.current == nil && told.previous == amara)
        }

        @Test func `a committed sign-out is finished at the next start`() async throws {
            let live = try await LiveEnvironment.ready()
            let app = try live.app(1)
            let amara = try await live.signIn("Amara", through: app)
            // The browser's end hangs, so the sign-out is in progress until the agent continues.
            try live.send(SIGSTOP, to: .agent)
            async let answer = seen { try await app.signOut(amara) }
            try await live.journalSays("signingOut")
            try await live.kill(.broker)
            #expect(try await answer.internalCode == .internalErrorBrokerResponseNotReceived)
            #expect(try !live.isClean)

            try await live.start(.broker)
            let status = try await live.status()
            #expect(status.session == "signingOut" && status.pending.contains("browser"))
            #expect(try await app.accounts().current == nil)
            try live.send(SIGCONT, to: .agent)
            try await live.settle()
            #expect(try live.isClean)
        }

        @Test func `a sign-out waits for the browser's end if the agent died`() async throws {
            let live = try await LiveEnvironment.ready()
            let app = try live.app(1)
            let amara = try await live.signIn("Amara", through: app)
            try await live.kill(.agent)
            async let answer = app.signOut(amara)
            try await live.journalSays("signingOut")
            #expect(try await live.status().pending == ["browser"])

            try await live.start(.agent)
            #expect(try await answer)
            #expect(try live.isClean)
        }

        @Test(arguments: [
            "", "{", "null", #"{"state":"ready"}"#,
            #"{"state":"unknown","epoch":"1.00000000000000000000000000000000"}"#,
        ])
        func `an unreadable journal never means that nobody is signed in`(journal: String) async throws {
            let live = try await LiveEnvironment.ready()
            let file = URL(filePath: live.path("device/journal"))
            let good = try Data(contentsOf: file)
            try await live.kill(.broker)
            try Data(journal.utf8).write(to: file)
            defer { #expect(throws: Never.self) { try good.write(to: file) } }
            try await live.start(.broker)
            #expect(try await live.status().session == "quarantined")
            await #expect(throws: (any Error).self) { try await live.app(1, patience: .seconds(1)).accounts() }
            try await live.kill(.broker)
        }

        @Test func `a joined device without a journal does not count as a new one`() async throws {
            let live = try await LiveEnvironment.ready()
            let file = URL(filePath: live.path("device/journal"))
            let good = try Data(contentsOf: file)
            try await live.kill(.broker)
            try FileManager.default.removeItem(at: file)
            defer { #expect(throws: Never.self) { try good.write(to: file) } }
            try await live.start(.broker)
            #expect(try await live.status().session == "quarantined")
            try await live.kill(.broker)
        }
    }
}
