// SPDX-License-Identifier: Apache-2.0
import Glibc
import Processes
import TestSupport
import Testing

/// How a real server stops while clients are connected.
@Suite(.timeLimit(.minutes(5))) struct StopTests {
    /// The longest time that a server without open requests may take to stop. On a quiet machine, it takes less than a
    /// second.
    static let limit = Duration.seconds(3)
    /// How many stops are tried before the test fails because none was in time. A busy machine may delay one stop, but
    /// a server that waits for its clients is late each time.
    static let stops = 3

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
        for stop in 1... {
            let taken = try await Scratch.with { try await stopped(how, in: $0) }
            print("StopTests: \(how): stopped in \(taken)")
            if taken < Self.limit { return }
            try #require(stop < Self.stops, "stopped in \(taken)")
        }
    }

    /// The time that a server takes to stop.
    private func stopped(_ how: String, in scratch: Scratch) async throws -> Duration {
        let (server, clients) = try await start(how, in: scratch)
        let begun = ContinuousClock.now
        #expect(try await server.end(by: SIGTERM) == 0)
        let taken = ContinuousClock.now - begun
        if how == "ignore" { clients.kill() }
        let code = try await clients.waitForExit()
        let log = try clients.log()
        #expect(code == (how == "ignore" ? -SIGKILL : 0), "\(log)")
        return taken
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

    @Test func `an answer that its client has not read yet is completed`() async throws {
        try await AdminServer.with(["a.test"]) { admin in
            let first = 1_900_000_000_000
            try await admin.seed(
                """
                identity.execute("BEGIN")
                for place in range(1, 1000):
                    insert(identity, "audit", tenant=tenant, position=1000 + place, time=\(first) + place, actor="-",
                           action="x" * 500, outcome="done", repetitions=1)
                identity.execute("COMMIT")
                """)
            let client = try await RunningProgram.start(
                "/usr/bin/python3",
                [
                    Repository.root + "/Tests/LoadBalancer/unread.py", admin.server.state + "/admin.sock",
                    "\(try admin.server.pid)", "\(first)",
                ], log: "client.log", awaitsReady: false, in: admin.scratch)
            let code = try await client.waitForExit()
            let log = try client.log()
            #expect(code == 0 && Int(log.dropLast()) != nil, "\(log)")
            #expect(try await admin.server.ends() == 0)
        }
    }
}
