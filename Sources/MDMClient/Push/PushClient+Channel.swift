// SPDX-License-Identifier: Apache-2.0
internal import DeviceHTTPS
internal import Logging
internal import OAuth
internal import Processes
internal import PushProtocol
internal import Retries
internal import Synchronization

extension PushClient {
    /// The time limit for the server's first message.
    private static let firstPatience = Duration.seconds(15)

    /// Keeps a push channel open while the device is enrolled.
    func hold() async {
        var pauses = Self.pauses
        while !Task.isCancelled {
            let opening = openings.value
            let began = ContinuousClock.now
            do {
                guard let server = try await configuration.server() else {
                    place.withLock { $0 = .none }
                    configuration.reachable(nil)
                    await openings.beyond(opening)
                    continue
                }
                try await race({ try await self.open(server) }, { await self.openings.beyond(opening) })
                place.withLock { $0 = .broken("it ended") }
            } catch {
                place.withLock { $0 = .broken("\((error as? HTTPSError)?.code.rawValue ?? "it could not be opened")") }
                configuration.reachable(error is HTTPSError ? false : nil)
                logger.info("no push channel to the server", metadata: ["error": "\(error)"])
            }
            // After a change, the channel is opened again at once, otherwise after a pause. Only a change or
            // cancellation ends the pause early.
            guard openings.value == opening else { continue }
            let rest = pauses.next(after: .now - began).spread(.random(in: 0...1))
            await race({ try? await self.configuration.pause(rest) }, { await self.openings.beyond(opening) })
        }
    }

    /// Opens the push channel and reads it until it ends.
    private func open(_ server: PushServer) async throws {
        let stated = session
        var question: String?
        if let stated, let join = stated.join { question = try await asker(join).question(stated) }
        let liveness = LivenessTimer(patience: Self.firstPatience)
        let request = HTTPSClient.Request(
            method: "POST", url: server.serverURL + PushChannel.suffix, headers: [("Content-Type", "application/json")],
            body: PushHello(question: question).bytes)
        let messages = Mutex(PushMessageReader())
        try await race(
            {
                let status = try await server.client.listen(request) { piece in
                    for message in try messages.withLock({ try $0.take(piece) }) {
                        self.take(message, stated: stated, liveness: liveness)
                    }
                }
                self.logger.debug("push channel ended", metadata: ["http.status": "\(status)"])
                // If the device is no longer enrolled, the check-in reveals that, and the enrollment agent acts on it.
                if status == 403 { self.configuration.checkIn() }
            },
            {
                try await liveness.awaitSilence(self.configuration.sleep)
                throw HTTPSError(.timeout, "the server has sent nothing for too long")
            })
    }

    private func take(_ message: PushMessage, stated: WatchedSession?, liveness: LivenessTimer) {
        liveness.note()
        switch message {
        case .present(let present):
            logger.debug("push channel open")
            configuration.opened()
            configuration.reachable(true)
            configuration.stateChanged()
            place.withLock { $0 = .open }
            liveness.expect(within: .seconds(present.keepAlive) * PushChannel.patience)
            if let stated, let status = present.status.flatMap(SessionStatus.init) {
                received(fromMDM: status, of: stated)
            }
            if session?.serverSession != stated?.serverSession { questions.advance() }
            if present.hasCommands { configuration.checkIn() }
        case .nudge:
            questions.advance()
            configuration.stateChanged()
            configuration.checkIn()
        case .alive, .unknown: break
        }
    }

    /// Runs both functions until one of them ends, and cancels the other.
    private func race(
        _ first: @escaping @Sendable () async throws -> Void, _ second: @escaping @Sendable () async throws -> Void
    ) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await first() }
            group.addTask { try await second() }
            defer { group.cancelAll() }
            try await group.next()
        }
    }

    func race(
        _ first: @escaping @Sendable () async -> Void, _ second: @escaping @Sendable () async -> Void
    ) async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await first() }
            group.addTask { await second() }
            await group.next()
            group.cancelAll()
        }
    }
}

/// Tracks when the server last sent something, and how long it may be silent.
private final class LivenessTimer: Sendable {
    private struct State {
        var last = ContinuousClock.now
        var patience: Duration
    }

    private let state: Mutex<State>

    init(patience: Duration) { state = Mutex(State(patience: patience)) }

    func note() { state.withLock { $0.last = .now } }
    func expect(within patience: Duration) { state.withLock { $0.patience = patience } }

    /// Returns when the server has been silent for too long. Wakes up once per patience interval.
    func awaitSilence(_ sleep: @Sendable (Duration) async throws -> Void) async throws {
        while true {
            let rest = state.withLock { $0.last + $0.patience - .now }
            guard rest > .zero else { return }
            try await sleep(rest)
        }
    }
}
