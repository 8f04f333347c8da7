// SPDX-License-Identifier: Apache-2.0
package import BrokerDevice
package import BrokerIPC
package import BrokerProtocol
internal import Glibc
package import Logging
internal import OAuth
internal import PushProtocol
internal import ServiceLifecycle
internal import Synchronization

/// How a device reaches the server that it is enrolled with, as the device that it is there.
package struct PushServer: Sendable {
    /// Where it asks for commands.
    let serverURL: String
    let client: any HTTPListening

    package init(serverURL: String, client: any HTTPListening) {
        self.serverURL = serverURL
        self.client = client
    }
}

/// Holds the device's push channel to its server, and asks how the session stands whenever the server says that something has
/// changed, when a session begins, and each time that the push channel is opened anew.
///
/// Only the server's definite word ends a session; what could not be found out is asked again, and ends nothing.
package final class PushClient: Service {
    /// What the keeper must be told.
    package struct Configuration: Sendable {
        /// Where the device's keys of the directory are.
        package var keys: KeyStore
        /// The way to the server that the device is enrolled with; nil where there is none.
        package var way: @Sendable () async throws -> PushServer?
        /// Makes the client that reaches the identity platform.
        package var https: @Sendable () throws -> any HTTPSending
        /// Hears the server's definite word that the session of an epoch is over.
        package var ended: @Sendable (Epoch, SignOutTrigger) -> Void
        /// Hears what the identity platform says of the device's registration.
        package var registration: @Sendable (RegistrationStatus) -> Void
        /// Hears that the management server has something for the device.
        package var checkIn: @Sendable () -> Void
        /// Hears that the push channel is open, and so that the server can be reached.
        package var opened: @Sendable () -> Void
        /// Hears that the server may have changed its mind about anything of the device.
        package var stateChanged: @Sendable () -> Void
        /// Waits before the next attempt.
        package var pause: @Sendable (Duration) async throws -> Void
        /// Waits for the server to have been silent for so long.
        package var sleep: @Sendable (Duration) async throws -> Void

        package init(
            keys: KeyStore, way: @escaping @Sendable () async throws -> PushServer?,
            https: @escaping @Sendable () throws -> any HTTPSending,
            ended: @escaping @Sendable (Epoch, SignOutTrigger) -> Void,
            registration: @escaping @Sendable (RegistrationStatus) -> Void = { _ in },
            checkIn: @escaping @Sendable () -> Void,
            opened: @escaping @Sendable () -> Void = {}, stateChanged: @escaping @Sendable () -> Void = {},
            pause: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) },
            sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
        ) {
            self.keys = keys
            self.way = way
            self.https = https
            self.ended = ended
            self.registration = registration
            self.checkIn = checkIn
            self.opened = opened
            self.stateChanged = stateChanged
            self.pause = pause
            self.sleep = sleep
        }
    }

    let configuration: Configuration
    let logger: Logger
    private let watched = Mutex<WatchedSession?>(nil)
    private let askers = KeyedCache<JoinRecord, SessionStatusClient>()
    private let serverClock = ServerClock()
    /// Whether the organisation that manages the device said that it does not list it.
    private let isForeignToManagement = Mutex(false)
    private let disk = BlockingQueue(label: "baton.push.disk")
    /// The state of the push channel.
    let place = Mutex(PushStatus.none)
    /// The push channel has to be opened anew.
    let openings = ChangeCount()
    /// The session's status has to be asked.
    let questions = ChangeCount()

    package init(configuration: Configuration, logger: Logger) {
        self.configuration = configuration
        self.logger = logger
    }

    /// What the device states from here on; never blocks.
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

    /// The identity platform may have changed its mind about the device; never blocks.
    package func ask() { questions.advance() }

    /// The device's enrollment has changed; never blocks.
    package func accessChanged() { openings.advance() }

    package func run() async throws {
        await cancelWhenGracefulShutdown {
            await withTaskGroup(of: Void.self) { group in
                group.addTask { await self.hold() }
                group.addTask { await self.answerQuestions() }
            }
        }
    }

    /// How the push channel stands now.
    package var status: PushStatus { place.withLock { $0 } }

    var session: WatchedSession? { watched.withLock { $0 } }

    /// Who asks for the device, where it has joined a directory; its keys are read once for each join.
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

    /// The organisation that manages the device says whether it lists it.
    func heard(fromManagement status: SessionStatus, of session: WatchedSession) {
        isForeignToManagement.withLock { $0 = status == .deviceUnknown }
        // Only the organisation that the device is joined to can say that it has removed the device.
        if status == .deviceDisabled { note(.disabled, of: session.join) }
        if status == .deviceUnknown { questions.advance() }
        heard(status, of: session)
    }

    private func note(_ state: RegistrationStatus.State, of join: JoinRecord?) {
        guard let join else { return }
        configuration.registration(registration(state, of: join))
    }

    private func registration(_ state: RegistrationStatus.State, of join: JoinRecord) -> RegistrationStatus {
        let isForeign = state == .good && isForeignToManagement.withLock(\.self)
        return RegistrationStatus(
            deviceID: join.deviceID, tenantID: join.tenantID, state: isForeign ? .otherTenant : state,
            learnedAt: Self.now(), clockAhead: serverClock.ahead)
    }

    /// Acts on the server's word about `session`.
    func heard(_ status: SessionStatus, of session: WatchedSession) {
        guard let trigger = status.trigger else { return }
        logger.notice("the server's word on the device", metadata: ["session.status": "\(status.rawValue)"])
        guard session.serverSession != nil else { return }
        configuration.ended(session.epoch, trigger)
    }

    // MARK: - Questions

    /// Asks each time that there is reason to, until it is found out, and again after a while.
    private func answerQuestions() async {
        var answered: UInt64 = 0
        var pause = ReconnectPause()
        var random = SystemRandomNumberGenerator()
        while !Task.isCancelled {
            await questions.beyond(answered)
            let asked = questions.value
            guard let session, let join = session.join else {
                answered = asked
                continue
            }
            do {
                let isHealthy = try await ask(of: session, join).isHealthy
                (answered, pause) = (asked, ReconnectPause())
                await waitForQuestion(after: answered, isHealthy ? Self.interval : Self.intervalOfTrouble)
            } catch {
                logger.info(
                    "the session's status is not known", metadata: ["error": "\(BrokerError(reading: error).code)"])
                do { try await configuration.pause(pause.next(after: .zero, random: &random)) } catch { return }
            }
        }
    }

    /// Between two questions that nothing gives reason to.
    private static let interval = Duration.seconds(900)
    /// The same while the device cannot be used: what an administrator mends has to show soon.
    private static let intervalOfTrouble = Duration.seconds(30)

    /// Waits until there is reason to ask, or so long; then there is.
    private func waitForQuestion(after seen: UInt64, _ interval: Duration) async {
        await race(
            { await self.questions.beyond(seen) },
            {
                do { try await self.configuration.sleep(interval) } catch { return }
                self.questions.advance()
            })
    }

    /// Asks once, and tells whoever is concerned.
    ///
    /// - Throws: whatever kept the device from finding out.
    private func ask(of session: WatchedSession, _ join: JoinRecord) async throws -> RegistrationStatus {
        let known: RegistrationStatus
        do {
            let status = try await asker(join).status(session)
            known = registration(status.registration, of: join)
            heard(status, of: session)
        } catch let refusal as OAuthError where refusal.meansTenantUnknown {
            known = registration(.tenantUnknown, of: join)
        }
        configuration.registration(known)
        return known
    }

    /// Asks now how the device's registration stands, for the doctor; empty if the device has not joined.
    package func registrationFindings() async -> [CheckResult] {
        guard let session, let join = session.join else { return [] }
        // The clocks are compared beside this.
        do { return [try await ask(of: session, join).findings[0]] } catch {
            return [.registrationUnknown(because: BrokerError(reading: error))]
        }
    }
}

extension CheckResult {
    /// The stable code of what says that the registration could not be looked at.
    package static let registrationUnknown = "registration_unknown"

    fileprivate static func registrationUnknown(because error: BrokerError) -> CheckResult {
        CheckResult(
            .server, .warning, code: registrationUnknown,
            message: "Whether the directory still lists the device could not be found out (\(error.code.rawValue)).",
            remedy: "Look at the network and the server, then run baton doctor again.")
    }
}
