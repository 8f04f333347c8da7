// SPDX-License-Identifier: Apache-2.0
import Foundation
import Logging
import Processes
import Storage
import Synchronization
import TestSupport
import Testing

@testable import baton_server

/// A node whose clock differs from that of the database server.
@Suite(.timeLimit(.minutes(5))) struct ClockTests {
    /// The clock of a database server that has no tables, and the clock of the machine that asks it.
    private final class Clocks: Database {
        private let state = Mutex((ahead: Duration.zero, isReachable: true))

        func set(by duration: Duration) { state.withLock { $0.ahead += duration } }
        func reach(_ isReachable: Bool) { state.withLock { $0.isReachable = isReachable } }

        var now: Timestamp { Timestamp.now + state.withLock(\.ahead) }

        let isShared = true
        func read<T: Sendable>(_ body: @escaping @Sendable (any Connection) throws -> T) async throws -> T {
            throw StorageError(.failed, "no tables")
        }
        func write<T: Sendable>(_ body: @escaping @Sendable (any Connection) throws -> T) async throws -> T {
            throw StorageError(.failed, "no tables")
        }
        func observe(_ observer: @escaping @Sendable (any Announcement) -> Void) {}
        func exclusively<T: Sendable>(_ job: String, _ body: @Sendable () async throws -> T) async throws -> T? {
            throw StorageError(.failed, "no tables")
        }
        func serverTime() async throws -> Timestamp? {
            guard state.withLock(\.isReachable) else { throw StorageError(.unavailable, "out of reach") }
            return .now
        }
    }

    /// Watches the clocks until the service ends, and returns its error and how many seconds it waited.
    private func watch(
        _ clocks: Clocks, each second: @escaping @Sendable (Int) -> Void
    ) async -> (error: ServerError?, seconds: Int) {
        let seconds = Mutex(0)
        let service = ClockService(
            check: ClockCheck(database: clocks, now: { clocks.now }), clock: ClockGuard(now: { clocks.now }),
            logger: Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() }),
            pause: {
                let number = seconds.withLock { seconds in
                    seconds += 1
                    return seconds
                }
                // A service that has not ended by itself is ended here.
                if number > 200 { throw CancellationError() }
                second(number)
            })
        var failure: ServerError?
        do { try await service.watch() } catch { failure = error as? ServerError }
        return (failure, seconds.withLock(\.self))
    }

    @Test(arguments: [(300, "ahead of"), (-300, "behind"), (-7200, "behind")])
    func `a clock that is set stops the server within a second, with the error clock.wrong`(
        seconds: Int, explanation: String
    ) async {
        let clocks = Clocks()
        let end = await watch(clocks) { if $0 == 7 { clocks.set(by: .seconds(seconds)) } }
        #expect(end.error?.code == .clockWrong && end.error?.message.contains(explanation) == true)
        #expect(end.seconds == 7)
    }

    @Test func `a clock that goes wrong slowly is noticed by the next comparison`() async {
        let clocks = Clocks()
        // The machine's two clocks go wrong together, so only the database server's clock shows the error.
        let clock = ClockGuard(now: { .init(seconds: 0) }, steady: { [now = ContinuousClock.now] in now })
        clocks.set(by: .seconds(11))
        let service = ClockService(
            check: ClockCheck(database: clocks, now: { clocks.now }), clock: clock, logger: Logger(label: "test"),
            pause: {})
        let error = await #expect(throws: ServerError.self) { try await service.watch() }
        #expect(error?.code == .clockWrong)
    }

    @Test func `small differences and a database out of reach do not stop the server`() async {
        let clocks = Clocks()
        let end = await watch(clocks) { number in
            if number == 5 { clocks.set(by: .seconds(9)) }
            if number == 70 { clocks.reach(false) }
            if number == 190 { clocks.reach(true) }
        }
        #expect(end.error == nil && end.seconds == 201)
    }

    @Test func `a clock that is set while the database is out of reach stops the server once it is back`() async {
        let clocks = Clocks()
        let end = await watch(clocks) { number in
            if number == 5 { clocks.reach(false) }
            if number == 6 { clocks.set(by: .seconds(60)) }
            if number == 30 { clocks.reach(true) }
        }
        #expect(end.error?.code == .clockWrong && end.seconds == 30)
    }

    /// The environment variables with which the test sets the clock that the real server sees (libfaketime). The file
    /// contains the difference.
    private static func environment(_ file: String) -> [String: String] {
        [
            "LD_PRELOAD": "/usr/$LIB/faketime/libfaketimeMT.so.1",
            "FAKETIME_TIMESTAMP_FILE": file, "FAKETIME_NO_CACHE": "1", "FAKETIME_DONT_FAKE_MONOTONIC": "1",
        ]
    }

    @Test func `a node whose clock is minutes off does not start, and a node that is set gives no wrong answer`()
        async throws
    {
        try await Scratch.with { scratch in
            let offset = scratch.path("offset")
            func set(_ text: String) throws { try Data(text.utf8).write(to: URL(filePath: offset), options: .atomic) }
            let (database, health) = (try await ServerDatabase(), try #require(FreePort.tcp(in: FreePort.ofTests)))
            let server = try ServerProcess(
                database.keys(
                    besides: OutageTests.settings.merging([
                        "health": ["port": Int(health)], "loadBalancer": ["drain": 0],
                    ]) { $1 }), environment: Self.environment(offset), in: scratch)
            for (difference, explanation) in [("+180", "ahead of"), ("-180", "behind")] {
                try set(difference)
                let outcome = try await server.fail()
                #expect(outcome.code == 1 && outcome.text.contains("[server.clock.wrong]"), "\(outcome.text)")
                #expect(outcome.text.contains(explanation), "\(outcome.text)")
            }
            try set("+0")
            try await server.start()
            let directory = try server.makeDirectory(password: OutageTests.password)
            let grant = try await server.send(
                "POST", "/\(directory.tenant)/oauth2/v2.0/token",
                form: [
                    "grant_type": "password", "client_id": directory.client, "username": "a@c.test",
                    "password": OutageTests.password, "scope": "openid User.Read",
                ])
            let access = try #require(grant.text("access_token"), "\(grant.text)")
            #expect(try await server.send("GET", "/v1.0/me", host: "graph.test", bearer: access).status == 200)
            // The token would have expired.
            try set("+1d")
            let answer = try? await server.send("GET", "/v1.0/me", host: "graph.test", bearer: access)
            #expect(answer == nil || answer?.status == 503, "\(String(describing: answer))")
            #expect(try await server.ends() == 1)
            #expect(try server.log().contains("[server.clock.wrong]"))
        }
    }
}
