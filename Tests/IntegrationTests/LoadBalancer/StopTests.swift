// SPDX-License-Identifier: Apache-2.0
import Glibc
import Processes
import TestSupport
import Testing

/// How a real server stops while clients are connected.
@Suite(.timeLimit(.minutes(2))) struct StopTests {
    /// The longest time that a server without open requests may take to stop. It takes less than a second; a busy
    /// machine must not fail the test.
    static let limit = Duration.seconds(3)

    private func start(
        _ how: String, in scratch: Scratch
    ) async throws -> (server: ServerProcess, clients: RunningProgram) {
        let health = Int(try #require(FreePort.tcp(in: FreePort.ofTests)))
        let server = try ServerProcess(["health": ["port": health]], in: scratch)
        try await server.start()
        let clients = try await RunningProgram.start(
            "/usr/bin/python3",
            [
                "-u", Repository.root + "/Tests/LoadBalancer/stopping.py", how, "\(server.port)", "\(server.mdmPort)",
                "\(health)", server.state + "/ca/root.pem", "\(try server.pid)",
            ], log: "clients.log", awaitsReady: false, in: scratch)
        try await FolderWatch(scratch.path).until("held") { try clients.log().contains("held") }
        return (server, clients)
    }

    @Test(arguments: ["ignore", "answer", "close"])
    func `idle connections do not delay the end of a server`(how: String) async throws {
        try await Scratch.with { scratch in
            let (server, clients) = try await start(how, in: scratch)
            let begun = ContinuousClock.now
            #expect(try await server.end(by: SIGTERM) == 0)
            let taken = ContinuousClock.now - begun
            print("StopTests: \(how): stopped in \(taken)")
            #expect(taken < Self.limit)
            if how == "ignore" { clients.kill() }
            let code = try await clients.waitForExit()
            let log = try clients.log()
            #expect(code == (how == "ignore" ? -SIGKILL : 0), "\(log)")
        }
    }

    @Test func `a request that a client is sending is answered before the server ends`() async throws {
        try await Scratch.with { scratch in
            let (server, clients) = try await start("request", in: scratch)
            let code = try await clients.waitForExit()
            let log = try clients.log()
            #expect(code == 0 && log.lowercased().contains("connection: close"), "\(log)")
            #expect(try await server.ends() == 0)
        }
    }
}
