// SPDX-License-Identifier: Apache-2.0
import BrokerIPC
import BrokerProtocol
import Foundation
import Glibc
import MSAL
import TestSupport
import Testing

extension LiveBrowser {
    /// The agent is killed or loses its connection during a sign-in or a sign-out. The device becomes ready by itself,
    /// and nothing of the worker is left.
    @Suite struct AgentCutTests {
        @Test func `a connection that ends inside a message costs one sign-in at most, and no sign-out`() async throws {
            let live = try await LiveEnvironment.ready()
            try await live.withCuts { cut in
                let app = try live.app(1)
                for message in ["open", "opened"] {
                    try cut(message)
                    try live.seat("Amara")
                    let failure = try await seen { try await app.signIn() }
                    #expect(failure.text.contains("baton-agent"), "\(message): \(failure)")
                    try live.leave()
                    try await live.settle()
                    #expect(try await app.accounts().current == nil, "\(message)")
                    #expect(try live.isClean, "\(message)")
                    try await live.awaitAgent()
                }
                for message in ["close", "closed"] {
                    let amara = try await live.signIn("Amara", through: app)
                    try cut(message)
                    #expect(try await app.signOut(amara), "\(message)")
                    #expect(try live.isClean, "\(message)")
                    try await live.awaitAgent()
                }
                try await live.findsNothing(of: "Amara")
            }
        }

        @Test func `killing an agent with an open browser ends the sign-in, and the next agent clears up`()
            async throws
        {
            let live = try await LiveEnvironment.ready()
            let app = try live.app(1)
            let opened = "browser started"
            let before = try live.log(of: .agent).components(separatedBy: opened).count - 1
            // The page does not load, so the person keeps waiting for it.
            try live.send(SIGSTOP, to: .server)
            try live.seat("Amara")
            async let failure = seen { try await app.signIn() }
            try await live.log(of: .agent, says: opened, times: before + 1)
            #expect(try !live.names(in: "run/profiles").isEmpty)
            try await live.kill(.agent)
            #expect(try await failure.text.contains("baton-agent"))
            try await live.journalSays("signingOut")
            // The browser's files exist. The device is not ready until an agent has removed them.
            #expect(try await live.status().pending == ["browser"])
            try await live.start(.agent)
            try await live.settle()
            #expect(try live.isClean)
            try live.send(SIGCONT, to: .server)
            try live.leave()
            try await live.awaitAgent()
            try await live.findsNothing(of: "Amara")
            let next = try await live.signIn("Bo", through: app)
            #expect(try await app.signOut(next))
        }
    }
}

extension LiveEnvironment {
    /// Runs `body` with an agent whose connection ends in the middle of the messages that `body` names
    /// (Tests/Proxies/cutting_proxy.py).
    fileprivate func withCuts(_ body: (_ cut: (String) throws -> Void) async throws -> Void) async throws {
        let (orders, socket) = (URL(filePath: path("cut")), path("run/cut.sock"))
        let cutter = try await runAside("Proxies/cutting_proxy.py", [socket, path("run/agent.sock"), orders.path])
        let file = URL(filePath: path("configuration/baton-agent.json"))
        let former = try Data(contentsOf: file)
        var changed = try JSONSerialization.jsonObject(with: former) as? [String: Any] ?? [:]
        changed["socket"] = socket
        try JSONSerialization.data(withJSONObject: changed).write(to: file)
        var cuts: [String] = []
        let outcome: Result<Void, any Error>
        do {
            try await kill(.agent)
            try await start(.agent)
            try await awaitAgent()
            try await body { message in
                cuts.append(message)
                try Data(message.utf8).write(to: orders, options: .atomic)
            }
            outcome = .success(())
        } catch { outcome = .failure(error) }
        try former.write(to: file)
        try? await kill(.agent)
        try await start(.agent)
        cutter.kill()
        try await cutter.waitForExit()
        try FileManager.default.removeItem(atPath: socket)
        try outcome.get()
        #expect(try cutter.log().split(separator: "\n").map(String.init) == cuts.map { "cut " + $0 })
    }
}
