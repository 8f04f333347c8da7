// SPDX-License-Identifier: Apache-2.0
internal import BrokerProtocol
internal import DeviceHTTPS
internal import Processes
internal import SessionIPC
internal import Synchronization

/// Sends messages to the supervisor and waits until the supervisor accepts or refuses each message.
final class SupervisorAnswers: Sendable {
    /// The supervisor's answer to a message.
    enum Answer {
        case accepted, refused
        /// The app has registered the maximum number of erasers, or of processes with erasers.
        case full
    }

    private struct State {
        var waiting: [UInt64: Promise<Answer>] = [:]
        var requests: UInt64 = 0
    }

    private let supervisor: SupervisorLink
    private let state = Mutex(State())

    init(supervisor: SupervisorLink) { self.supervisor = supervisor }

    /// Sends a message and returns the supervisor's answer. Blocks until the supervisor has answered. This is
    /// acceptable because each app's connection has its own thread.
    ///
    /// - Parameter message: makes the message for a request id.
    func answer(_ message: (UInt64) -> SessionProcessMessage) throws(BrokerError) -> Answer {
        let promise = send(message)
        do { return try promise.wait() } catch { throw BrokerError(reading: error) }
    }

    /// Whether the supervisor accepts a message; blocks like ``answer(_:)``.
    func isAccepted(_ message: (UInt64) -> SessionProcessMessage) throws(BrokerError) -> Bool {
        try answer(message) == .accepted
    }

    /// Whether the supervisor accepts a message. Suspends instead of blocking, for callers in a task.
    func accepts(_ message: (UInt64) -> SessionProcessMessage) async throws -> Bool {
        try await send(message).value() == .accepted
    }

    private func send(_ message: (UInt64) -> SessionProcessMessage) -> Promise<Answer> {
        let promise = Promise<Answer>()
        let requestID = state.withLock { state in
            state.requests += 1
            state.waiting[state.requests] = promise
            return state.requests
        }
        supervisor.tell(message(requestID))
        return promise
    }

    /// Handles the supervisor's answer to the request.
    func settle(_ requestID: UInt64, _ answer: Answer) {
        state.withLock { $0.waiting.removeValue(forKey: requestID) }?.settle(.success(answer))
    }
}
