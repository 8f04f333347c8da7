// SPDX-License-Identifier: Apache-2.0
import BrokerIPC
import BrokerProtocol
import DeviceKeyStore
import DeviceSettings
import Files
import Foundation
import Logging
import MDMClient
import PushProtocol
import Synchronization
import TestSupport
import Testing

/// A device with directory keys, a scripted push channel, and a scripted identity platform.
final class PushFixture: Sendable {
    let platform = ScriptedPlatform()
    let server = ScriptedPushServer()
    private let client: PushClient
    private let ends: AsyncStream<SignOutTrigger>
    private let checkIns: AsyncStream<Void>
    private let registrations: AsyncStream<RegistrationStatus.State>
    private let sleeps: AsyncStream<Duration>
    private let ended: Ended

    private final class Ended: Sendable {
        let sessionPolicy = Mutex<[SignOutTrigger]>([])
    }

    private init(_ scratch: Scratch, isPatient: Bool) throws {
        let keys = KeyStore(directory: Directory(path: scratch.path("keys")), platform: nil)
        try MadeDeviceKeys.put(in: keys)
        let (ends, end) = AsyncStream<SignOutTrigger>.makeStream()
        let (checkIns, checkIn) = AsyncStream<Void>.makeStream()
        let (registrations, registration) = AsyncStream<RegistrationStatus.State>.makeStream()
        let (sleeps, sleep) = AsyncStream<Duration>.makeStream()
        (self.ends, self.checkIns, self.registrations) = (ends, checkIns, registrations)
        self.sleeps = sleeps
        let (platform, server, ended) = (platform, server, Ended())
        self.ended = ended
        client = PushClient(
            configuration: .init(
                keys: keys, server: { PushServer(serverURL: "https://mdm.test/mdm/t", client: server) },
                https: { platform },
                ended: { _, trigger in
                    ended.sessionPolicy.withLock { $0.append(trigger) }
                    end.yield(trigger)
                }, registration: { registration.yield($0.state) }, checkIn: { checkIn.yield() },
                pause: { _ in await Task.yield() },
                sleep: { time in
                    sleep.yield(time)
                    for await _ in AsyncStream<Void>.makeStream().stream {}
                    throw CancellationError()
                }, random: { isPatient ? $0.upperBound : $0.lowerBound }),
            logger: Logger(label: "test"))
    }

    /// - Parameters:
    ///   - isPatient: true if the device's random numbers make its intervals as long as possible, false if they make
    ///     them as short as possible.
    ///   - prepare: sets the state before the device starts.
    static func with(
        isPatient: Bool = false, _ prepare: (PushFixture) throws -> Void,
        _ body: @escaping @Sendable (PushFixture) async throws -> Void
    ) async throws {
        try await Scratch.with { scratch in
            let fixture = try PushFixture(scratch, isPatient: isPatient)
            try prepare(fixture)
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await fixture.client.run() }
                try await body(fixture)
                group.cancelAll()
            }
        }
    }

    func signIn() throws { client.watch(try state(session: "s-1")) }
    func join() throws { client.watch(try state(session: nil)) }

    private func state(session: String?) throws -> WatchedSession {
        let join = JoinRecord(
            tenantID: "t", deviceID: "d", loginURL: "https://login.test",
            certificate: "-----BEGIN CERTIFICATE-----\nAAEC\n-----END CERTIFICATE-----", thumbprint: "")
        return WatchedSession(
            join: join, epoch: Epoch(id: try #require(Epoch.ID(String(repeating: "a", count: 32))), counter: 3),
            serverSession: session)
    }

    func nextEnd() async -> SignOutTrigger? { await ends.first { _ in true } }
    /// Requests a query of the registration, as after a refused sign-in.
    func ask() { client.ask() }
    func nextRegistration() async -> RegistrationStatus.State? { await registrations.first { _ in true } }
    /// The next duration that the device waits and that is longer than `time`.
    func nextSleep(over time: Duration) async -> Duration? { await sleeps.first { $0 > time } }
    func nextCheckIn() async -> Bool { await checkIns.first { _ in true } != nil }
    /// The triggers of all requested sign-outs.
    var endings: [SignOutTrigger] { ended.sessionPolicy.withLock(\.self) }
}
