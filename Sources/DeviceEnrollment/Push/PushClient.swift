// SPDX-License-Identifier: Apache-2.0
package import BrokerDevice
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
            ended: @escaping @Sendable (Epoch, SignOutTrigger) -> Void, checkIn: @escaping @Sendable () -> Void,
            opened: @escaping @Sendable () -> Void = {}, stateChanged: @escaping @Sendable () -> Void = {},
            pause: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) },
            sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
        ) {
            self.keys = keys
            self.way = way
            self.https = https
            self.ended = ended
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
        if present.serverSession != nil, former?.serverSession != present.serverSession { questions.advance() }
    }

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
        try await askers.value(for: join) { [configuration, disk] in
            try await disk.run {
                try SessionStatusClient(
                    join: join, keys: configuration.keys, https: configuration.https(), now: { Int(Glibc.time(nil)) })
            }
        }
    }

    /// Acts on the server's word about `session`.
    func heard(_ status: SessionStatus, of session: WatchedSession) {
        guard let trigger = status.trigger else { return }
        logger.notice("the server's word on the device", metadata: ["session.status": "\(status.rawValue)"])
        guard session.serverSession != nil else { return }
        configuration.ended(session.epoch, trigger)
    }

    // MARK: - Questions

    /// Asks each time that there is reason to, until it is found out.
    private func answerQuestions() async {
        var answered: UInt64 = 0
        var pause = ReconnectPause()
        var random = SystemRandomNumberGenerator()
        while !Task.isCancelled {
            await questions.beyond(answered)
            let asked = questions.value
            guard let session, let join = session.join, session.serverSession != nil else {
                answered = asked
                continue
            }
            do {
                heard(try await asker(join).status(session), of: session)
                (answered, pause) = (asked, ReconnectPause())
            } catch {
                logger.info(
                    "the session's status is not known", metadata: ["error": "\(BrokerError(reading: error).code)"])
                do { try await configuration.pause(pause.next(after: .zero, random: &random)) } catch { return }
            }
        }
    }
}
