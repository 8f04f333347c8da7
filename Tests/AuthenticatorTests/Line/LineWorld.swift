// SPDX-License-Identifier: Apache-2.0
import Authenticator
import BrokerProtocol
import DeviceLine
import Foundation
import Logging
import Synchronization
import TestSupport
import Testing

/// A device with keys of the directory, a scripted line, and a scripted identity platform.
final class LineWorld: Sendable {
    let platform = ScriptedPlatform()
    let line = ScriptedLine()
    private let keeper: LineKeeper
    private let ends: AsyncStream<Door>
    private let visits: AsyncStream<Void>
    private let ended: Ended

    private final class Ended: Sendable {
        let doors = Mutex<[Door]>([])
    }

    private init(_ scratch: Scratch) throws {
        let keys = KeyStore(directory: Directory(path: scratch.path("keys")), platform: nil)
        _ = try DeviceKeys.make(in: keys)
        let (ends, end) = AsyncStream<Door>.makeStream()
        let (visits, visit) = AsyncStream<Void>.makeStream()
        (self.ends, self.visits) = (ends, visits)
        let (platform, line, ended) = (platform, line, Ended())
        self.ended = ended
        keeper = LineKeeper(
            configuration: .init(
                keys: keys, way: { LineWay(serverURL: "https://mdm.test/mdm/t", client: line) },
                https: { platform },
                ended: { _, door in
                    ended.doors.withLock { $0.append(door) }
                    end.yield(door)
                }, visit: { visit.yield() },
                pause: { _ in await Task.yield() },
                sleep: { _ in
                    for await _ in AsyncStream<Void>.makeStream().stream {}
                    throw CancellationError()
                }),
            logger: Logger(label: "test"))
    }

    /// - Parameter prepare: what is so before the device begins.
    static func with(
        _ prepare: (LineWorld) throws -> Void, _ body: @escaping @Sendable (LineWorld) async throws -> Void
    ) async throws {
        try await Scratch.with { scratch in
            let world = try LineWorld(scratch)
            try prepare(world)
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await world.keeper.run() }
                try await body(world)
                group.cancelAll()
            }
        }
    }

    func signIn() throws { keeper.watch(try state(session: "s-1")) }
    func join() throws { keeper.watch(try state(session: nil)) }

    private func state(session: String?) throws -> WatchedSession {
        let join = JoinRecord(
            tenantID: "t", deviceID: "d", loginURL: "https://login.test",
            certificate: "-----BEGIN CERTIFICATE-----\nAAEC\n-----END CERTIFICATE-----", thumbprint: "")
        return WatchedSession(
            join: join, epoch: try #require(Epoch(id: String(repeating: "a", count: 32), counter: 3)),
            serverSession: session)
    }

    func nextEnd() async -> Door? { await ends.first { _ in true } }
    func nextVisit() async -> Bool { await visits.first { _ in true } != nil }
    /// Every end that was asked for.
    var endings: [Door] { ended.doors.withLock(\.self) }
}
