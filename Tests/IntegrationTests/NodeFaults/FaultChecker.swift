// SPDX-License-Identifier: Apache-2.0
import Synchronization

/// The kinds of requests that are counted.
enum FaultOperation: String, CaseIterable, Sendable {
    case signIn = "sign-in (page, code, PRT)"
    case appTokens = "app tokens by PRT"
    case refresh = "use of a refresh token"
    case repetition = "repeated use"
    case replay = "replay of an old token"
    case graph = "request to Graph"
    case status = "status of the session"
    case endSession = "end of a session"
    case checkIn = "MDM check-in"
    case revocation = "revocation"
    case command = "command queued"
    case directory = "change of the directory"
    case probe = "use after a revocation"
    case realSignIn = "real device: sign-in"
    case realToken = "real device: silent token"
    case realSignOut = "real device: sign-out"
}

/// Records what all clients of a run see, and what is wrong with it.
final class FaultChecker: Sendable {
    typealias Instant = ContinuousClock.Instant

    struct Counts: Sendable {
        var done = 0
        var refused = 0
        var unknown = 0
    }

    private struct State {
        var history = FaultHistory()
        var operations: [FaultOperation: Counts] = [:]
        var faults: [Fault: Int] = [:]
        /// The clients whose requests get no answer at present, and when the first of these requests began.
        var failing: [String: Instant] = [:]
        /// The times from the first of such requests to the client's next answer.
        var outages: [(client: String, time: Duration)] = []
        /// The times from the acknowledgement of a revocation to the push at another node, while no fault was active.
        var pushes: [Duration] = []
        /// The same times, but counted from the request for the revocation.
        var pushesSinceRequest: [Duration] = []
        /// Refresh tokens that were lost because an answer was lost, as the protocol requires.
        var lostChains = 0
        var isClosing = false
        var isOver = false
        var isQuiet = false
    }

    private let state = Mutex(State())

    /// Whether the administrators must stop, because the faults have ended.
    var isClosing: Bool { state.withLock { $0.isClosing } }
    /// Whether the devices must stop as well.
    var isOver: Bool { state.withLock { $0.isOver } }
    /// Whether a measurement is running, during which administrators change nothing.
    var isQuiet: Bool { state.withLock { $0.isQuiet } }
    var violations: [Violation] { state.withLock { $0.history.violations } }
    var pushes: [Duration] { state.withLock { $0.pushes } }

    func close() { state.withLock { $0.isClosing = true } }
    func end() { state.withLock { $0.isOver = true } }
    func setQuiet(_ isQuiet: Bool) { state.withLock { $0.isQuiet = isQuiet } }
    func note(_ fault: Fault) { state.withLock { $0.faults[fault, default: 0] += 1 } }
    func faults(_ fault: Fault) -> Int { state.withLock { $0.faults[fault] ?? 0 } }
    func noteLostChain() { state.withLock { $0.lostChains += 1 } }

    /// Records how long after the acknowledgement of a revocation, and after the request for it, the device was
    /// notified.
    func notePush(after time: Duration, sinceRequest whole: Duration) {
        state.withLock { state in
            state.pushes.append(time)
            state.pushesSinceRequest.append(whole)
        }
    }

    func history<Value: Sendable>(_ body: (inout FaultHistory) -> Value) -> Value {
        state.withLock { body(&$0.history) }
    }

    /// Counts a request, and the client's time without an answer.
    func count<Value>(_ operation: FaultOperation, _ outcome: Outcome<Value>, of client: String, began: Instant) {
        let now = Instant.now
        state.withLock { state in
            switch outcome {
            case .done: state.operations[operation, default: Counts()].done += 1
            case .refused: state.operations[operation, default: Counts()].refused += 1
            case .unknown: state.operations[operation, default: Counts()].unknown += 1
            }
            guard !outcome.isUnknown else {
                if state.failing[client] == nil { state.failing[client] = began }
                return
            }
            if let since = state.failing.removeValue(forKey: client) { state.outages.append((client, now - since)) }
        }
    }

    /// The results of the run, as lines of text.
    var summary: String {
        state.withLock { state in
            var lines = ["faults:"]
            for fault in Fault.allCases { lines.append("  \(state.faults[fault] ?? 0) × \(fault.rawValue)") }
            lines.append("operations (done, refused, no answer):")
            for operation in FaultOperation.allCases {
                let counts = state.operations[operation] ?? Counts()
                lines.append("  \(operation.rawValue): \(counts.done), \(counts.refused), \(counts.unknown)")
            }
            let sessions = state.history.sessions.values
            let ended = sessions.count { if case .ended = $0.phase { true } else { false } }
            lines.append("sessions: \(sessions.count), of which \(ended) ended with an acknowledgement")
            lines.append("refresh tokens given up after a lost answer: \(state.lostChains)")
            let outages = state.outages.sorted { $0.time < $1.time }
            if let longest = outages.last {
                lines.append(
                    "times without an answer, \(outages.count): median \(outages[outages.count / 2].time), "
                        + "95 % at most \(outages[outages.count * 95 / 100].time), "
                        + "longest \(longest.time) (\(longest.client))")
            }
            for (since, times) in [("answer", state.pushes), ("request", state.pushesSinceRequest)] {
                let times = times.sorted()
                guard let last = times.last else { continue }
                lines.append(
                    "\(since) of a revocation to push at another node, \(times.count) times: "
                        + "median \(times[times.count / 2]), longest \(last)")
            }
            lines += state.history.violations.map { "broken: \($0)" }
            return lines.joined(separator: "\n")
        }
    }
}
