// SPDX-License-Identifier: Apache-2.0
internal import DeviceKeyStore
internal import Dispatch
internal import Synchronization

/// A thread for work that a TPM may never finish. The caller waits only for a limited time. While earlier work is
/// overdue, further calls fail at once.
final class TimeoutExecutor: Sendable {
    private let queue = DispatchQueue(label: "baton.tpm")
    /// The number of abandoned pieces of work that have not returned yet.
    private let overdue = Mutex(0)
    private let patience: Duration?

    /// - Parameter patience: replaces the time limit of each call, if given.
    init(patience: Duration?) { self.patience = patience }

    /// Runs `body` after all earlier work; blocks the caller.
    ///
    /// - Throws: the error of `body`; `unresponsive` if `body` takes longer than `patience`. In that case `body`
    ///   continues, and its result is dropped.
    func run<T: Sendable>(
        within patience: Duration, _ body: @escaping @Sendable () throws(TrustedPlatformFailure) -> T
    ) throws(TrustedPlatformFailure) -> T {
        guard overdue.withLock({ $0 == 0 }) else { throw .unresponsive }
        let answer = Answer<T>()
        queue.async { [self] in
            let result: Result<T, TrustedPlatformFailure>
            do throws(TrustedPlatformFailure) { result = .success(try body()) } catch { result = .failure(error) }
            if answer.give(result) { overdue.withLock { $0 -= 1 } }
        }
        guard let result = answer.wait(for: self.patience ?? patience, givenUp: { overdue.withLock { $0 += 1 } }) else {
            throw .unresponsive
        }
        return try result.get()
    }
}

/// The result of one piece of work.
private final class Answer<T: Sendable>: Sendable {
    private enum State {
        case awaited
        case given(Result<T, TrustedPlatformFailure>)
        case givenUp
    }

    private let state = Mutex(State.awaited)
    private let settled = DispatchSemaphore(value: 0)

    /// Sets the result; returns whether the caller had already given up.
    func give(_ result: Result<T, TrustedPlatformFailure>) -> Bool {
        let isLate = state.withLock { state in
            if case .givenUp = state { return true }
            state = .given(result)
            return false
        }
        if !isLate { settled.signal() }
        return isLate
    }

    /// Waits for the result. After `patience`, calls `givenUp` and returns nil; a later result is dropped.
    func wait(for patience: Duration, givenUp: () -> Void) -> Result<T, TrustedPlatformFailure>? {
        let (seconds, attoseconds) = patience.components
        let nanoseconds = Int(seconds) * 1_000_000_000 + Int(attoseconds / 1_000_000_000)
        _ = settled.wait(timeout: .now() + .nanoseconds(nanoseconds))
        return state.withLock { state in
            if case .given(let result) = state { return result }
            state = .givenUp
            givenUp()
            return nil
        }
    }
}
