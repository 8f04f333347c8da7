// SPDX-License-Identifier: Apache-2.0
internal import BrokerProtocol
internal import DeviceHTTPS
internal import DeviceSettings
internal import SessionIPC
internal import Synchronization

/// Counts the requests and connections of apps, and reports the counts to the supervisor, because this process is
/// killed at the sign-out.
///
/// While apps are active, the counts are reported once a second. There is no timer, so an idle process is not woken.
final class RequestCounter: Sendable {
    private struct State {
        var counts = SessionCounts()
        var reported: ContinuousClock.Instant
    }

    private let supervisor: SupervisorLink
    private let state: Mutex<State>

    private static let pause = Duration.seconds(1)
    private static let operations = Set(Operation.all)
    /// The name under which operations that the protocol does not define are counted.
    private static let other = "other"

    init(supervisor: SupervisorLink, now: ContinuousClock.Instant = .now) {
        self.supervisor = supervisor
        state = Mutex(State(reported: now))
    }

    func request(_ operation: Operation) {
        let name = Self.operations.contains(operation) ? operation.rawValue : Self.other
        count { $0.requests[name, default: 0] += 1 }
    }

    func refusal(_ code: BrokerError.Code) { count { $0.errors[code.rawValue, default: 0] += 1 } }

    func opened() {
        count {
            $0.opened += 1
            $0.open += 1
        }
    }

    func closed() { count { $0.open -= 1 } }

    /// Counts a connection that was refused or ended because of a limit.
    func limited() { count { $0.limited += 1 } }

    /// Reports what has not been reported yet.
    func report() {
        let counts = state.withLock { Self.take(&$0, at: .now) }
        supervisor.tell(.counted(counts))
    }

    private func count(_ change: (inout SessionCounts) -> Void) {
        let now = ContinuousClock.now
        let due = state.withLock { state -> SessionCounts? in
            change(&state.counts)
            guard state.reported.duration(to: now) >= Self.pause else { return nil }
            return Self.take(&state, at: now)
        }
        if let due { supervisor.tell(.counted(due)) }
    }

    private static func take(_ state: inout State, at now: ContinuousClock.Instant) -> SessionCounts {
        defer {
            state.reported = now
            let open = state.counts.open
            state.counts = SessionCounts()
            state.counts.open = open
        }
        return state.counts
    }
}
