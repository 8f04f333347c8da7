// SPDX-License-Identifier: Apache-2.0
package import BrokerIPC
package import BrokerProtocol
package import DeviceHTTPS
package import DeviceKeyStore
package import DeviceSettings
internal import Glibc
package import Logging
internal import OAuth
internal import Processes
internal import PushProtocol
internal import Retries
internal import ServiceLifecycle
internal import Synchronization

/// The device's management server, and a client that presents the device's identity to it.
package struct PushServer: Sendable {
    /// The address at which the device asks for commands.
    let serverURL: String
    let client: any HTTPListening

    package init(serverURL: String, client: any HTTPListening) {
        self.serverURL = serverURL
        self.client = client
    }
}

/// Keeps the device's push channel to its server open. The client queries the session's status whenever the server
/// reports a change, when a session begins, and each time the push channel is opened again.
///
/// Only an explicit answer from the server ends a session. If the status cannot be determined, the session continues,
/// and the client asks again.
package final class PushClient: Service {
    /// The client's configuration.
    package struct Configuration: Sendable {
        /// The device's directory keys.
        package var keys: KeyStore
        /// Returns the server that the device is enrolled with; nil if there is none.
        package var server: @Sendable () async throws -> PushServer?
        /// Makes the client for the identity platform.
        package var https: @Sendable () throws -> any HTTPSending
        /// Called when the server has stated that the session of an epoch is over.
        package var ended: @Sendable (Epoch, SignOutTrigger) -> Void
        /// Called with the identity platform's answer about the device's registration.
        package var registration: @Sendable (RegistrationStatus) -> Void
        /// Called when the management server has commands for the device.
        package var checkIn: @Sendable () -> Void
        /// Called when the push channel is open, and the server therefore reachable.
        package var opened: @Sendable () -> Void
        /// Called with whether the management server can be reached; nil if the device has none.
        package var reachable: @Sendable (Bool?) -> Void
        /// Called when the device's state on the server may have changed.
        package var stateChanged: @Sendable () -> Void
        /// Waits for this duration before the next attempt.
        package var pause: @Sendable (Duration) async throws -> Void
        /// Waits for this duration, which is either the longest time that the server may be silent or the interval
        /// between regular queries.
        package var sleep: @Sendable (Duration) async throws -> Void
        /// Returns a random number in this range.
        package var random: @Sendable (ClosedRange<Double>) -> Double

        package init(
            keys: KeyStore, server: @escaping @Sendable () async throws -> PushServer?,
            https: @escaping @Sendable () throws -> any HTTPSending,
            ended: @escaping @Sendable (Epoch, SignOutTrigger) -> Void,
            registration: @escaping @Sendable (RegistrationStatus) -> Void = { _ in },
            checkIn: @escaping @Sendable () -> Void,
            opened: @escaping @Sendable () -> Void = {}, reachable: @escaping @Sendable (Bool?) -> Void = { _ in },
            stateChanged: @escaping @Sendable () -> Void = {},
            pause: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) },
            sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) },
            random: @escaping @Sendable (ClosedRange<Double>) -> Double = { .random(in: $0) }
        ) {
            self.keys = keys
            self.server = server
            self.https = https
            self.ended = ended
            self.registration = registration
            self.checkIn = checkIn
            self.opened = opened
            self.reachable = reachable
            self.stateChanged = stateChanged
            self.pause = pause
            self.sleep = sleep
            self.random = random
        }
    }

    let configuration: Configuration
    let logger: Logger
    private let watched = Mutex<WatchedSession?>(nil)
    private let askers = KeyedCache<JoinRecord, SessionStatusClient>()
    private let serverClock = ServerClock()
    /// Whether the organisation that manages the device has answered that the device is not in its directory.
    private let isForeignToMDM = Mutex(false)
    private let disk = BlockingQueue(label: "baton.push.disk")
    /// The state of the push channel.
    let place = Mutex(PushStatus.none)
    /// Advanced when the push channel must be opened again.
    let openings = ChangeCount()
    /// Advanced when the session's status must be queried.
    let questions = ChangeCount()

    package init(configuration: Configuration, logger: Logger) {
        self.configuration = configuration
        self.logger = logger
    }

    /// Sets the session that the device reports from now on; never blocks.
    package func watch(_ present: WatchedSession) {
        let former = watched.withLock { watched in
            defer { watched = present }
            return watched
        }
        if former?.join != present.join { openings.advance() }
        let isNewJoin = present.join != nil && former?.join != present.join
        let isNewSession = present.serverSession != nil && former?.serverSession != present.serverSession
        if isNewJoin || isNewSession { questions.advance() }
    }

    /// Requests a query of the device's status, because the status may have changed at the identity platform; never
    /// blocks.
    package func ask() { questions.advance() }

    /// Reports that the device's enrollment has changed; never blocks.
    package func accessChanged() { openings.advance() }

    package func run() async throws {
        await cancelWhenGracefulShutdown {
            await withTaskGroup(of: Void.self) { group in
                group.addTask { await self.hold() }
                group.addTask { await self.answerQuestions() }
            }
        }
    }

    /// The current state of the push channel.
    package var status: PushStatus { place.withLock { $0 } }

    var session: WatchedSession? { watched.withLock { $0 } }

    /// Returns the client that queries the device's status. The device's keys are read once per join.
    func asker(_ join: JoinRecord) async throws -> SessionStatusClient {
        try await askers.value(for: join) { [configuration, disk, serverClock] in
            try await disk.run {
                try SessionStatusClient(
                    join: join, keys: configuration.keys,
                    https: DatedSending(https: configuration.https(), clock: serverClock), now: Self.now)
            }
        }
    }

    private static let now: @Sendable () -> Int = { Int(Glibc.time(nil)) }

    /// Handles the status that the managing organisation reported for the device.
    func received(fromMDM status: SessionStatus, of session: WatchedSession) {
        isForeignToMDM.withLock { $0 = status == .deviceUnknown }
        // Only the organisation that the device is joined to can state that the device was removed.
        if status == .deviceDisabled { note(.disabled, of: session.join) }
        if status == .deviceUnknown { questions.advance() }
        received(status, of: session)
    }

    private func note(_ state: RegistrationStatus.State, of join: JoinRecord?) {
        guard let join else { return }
        configuration.registration(registration(state, of: join))
    }

    private func registration(_ state: RegistrationStatus.State, of join: JoinRecord) -> RegistrationStatus {
        let isForeign = state == .good && isForeignToMDM.withLock(\.self)
        return RegistrationStatus(
            deviceID: join.deviceID, tenantID: join.tenantID, state: isForeign ? .otherTenant : state,
            learnedAt: Self.now(), clockAhead: serverClock.ahead)
    }

    /// Acts on the server's answer about `session`.
    func received(_ status: SessionStatus, of session: WatchedSession) {
        guard let trigger = status.trigger else { return }
        logger.notice(
            "the server reports a status that ends sessions", metadata: ["session.status": "\(status.rawValue)"])
        guard session.serverSession != nil else { return }
        configuration.ended(session.epoch, trigger)
    }

    // MARK: - Status queries

    /// Queries the status whenever there is a reason, retries until there is an answer, and repeats at an interval.
    private func answerQuestions() async {
        var answered: UInt64 = 0
        var pauses = Self.pauses
        while !Task.isCancelled {
            await questions.beyond(answered)
            let asked = questions.value
            guard let session, let join = session.join else {
                answered = asked
                continue
            }
            do {
                let isHealthy = try await ask(of: session, join).isHealthy
                answered = asked
                pauses.reset()
                await waitForQuestion(after: answered, isHealthy ? Self.interval : Self.intervalOfTrouble)
            } catch {
                logger.info(
                    "the session's status is not known", metadata: ["error": "\(BrokerError(reading: error).code)"])
                do { try await configuration.pause(pauses.next().spread(.random(in: 0...1))) } catch { return }
            }
        }
    }

    /// The pauses between attempts to reach a server.
    static let pauses = Backoff(from: .seconds(1), to: .seconds(60), success: .seconds(10))
    /// The average interval between queries if there is no other reason for a query.
    private static let interval = Duration.seconds(900)
    /// The interval while the device cannot be used, so that an administrator's repair is noticed soon.
    private static let intervalOfTrouble = Duration.seconds(30)

    /// The random factor of an interval. Devices that query at the same time, for instance when a node has ended, soon
    /// query at different times.
    private static let spread = 0.75...1.25

    /// Waits until there is a reason to query, or until about `interval` is over.
    private func waitForQuestion(after seen: UInt64, _ interval: Duration) async {
        await race(
            { await self.questions.beyond(seen) },
            {
                let time = interval * self.configuration.random(Self.spread)
                do { try await self.configuration.sleep(time) } catch { return }
                self.questions.advance()
            })
    }

    /// Queries the status once and publishes it.
    ///
    /// - Throws: the error that prevented an answer.
    private func ask(of session: WatchedSession, _ join: JoinRecord) async throws -> RegistrationStatus {
        let known: RegistrationStatus
        do {
            let status = try await asker(join).status(session)
            known = registration(status.registration, of: join)
            received(status, of: session)
        } catch let refusal as OAuthError where refusal.meansTenantUnknown {
            known = registration(.tenantUnknown, of: join)
        }
        configuration.registration(known)
        return known
    }

    /// Queries the device's registration now, for the doctor. Returns an empty list if the device has not joined.
    package func registrationFindings() async -> [CheckResult] {
        guard let session, let join = session.join else { return [] }
        // The doctor compares the clocks separately.
        do { return [try await ask(of: session, join).findings[0]] } catch {
            return [.registrationUnknown(because: BrokerError(reading: error))]
        }
    }
}

extension CheckResult {
    /// The stable code of the finding that the registration could not be queried.
    package static let registrationUnknown = RegistrationStatus.findingPrefix + "unknown"

    fileprivate static func registrationUnknown(because error: BrokerError) -> CheckResult {
        CheckResult(
            .server, .warning, code: registrationUnknown,
            message: "Cannot determine whether the directory still lists the device (\(error.code.rawValue)).",
            remedy: "Check the network and the server, then run baton doctor again.")
    }
}
