// SPDX-License-Identifier: Apache-2.0
internal import Synchronization
internal import UnixSignals

/// Handles SIGINT and SIGTERM, which would otherwise end the process.
package struct Signals: Sendable {
    private let handling: Task<Void, Never>

    /// Calls `body` with the number of each signal that arrives. A signal that arrives after this initializer has
    /// returned is never lost; a signal that arrives earlier ends the process.
    package init(_ body: @escaping @Sendable (Int32) -> Void) async {
        let arrivals = await UnixSignalsSequence(trapping: [.sigint, .sigterm])
        handling = Task { for await signal in arrivals { body(signal.rawValue) } }
    }

    /// Stops handling; the signals are ignored from then on.
    package func stop() { handling.cancel() }

    private final class First: Sendable {
        let signal = Mutex<Int32?>(nil)
    }

    /// Runs `body`, and cancels it when a signal arrives, even if that happens before the first line of `body`.
    ///
    /// - Parameter asked: called for each signal, before `body` is cancelled.
    /// - Returns: how `body` ended, and the first signal that arrived, or nil if none did.
    package static func cancelling<Value: Sendable>(
        asked: @escaping @Sendable () -> Void = {}, _ body: @escaping @Sendable () async throws -> Value
    ) async -> (end: Result<Value, any Error>, signal: Int32?) {
        let (signalled, signal) = AsyncStream.makeStream(of: Never.self)
        let first = First()
        let signals = await Signals { number in
            first.signal.withLock { $0 = $0 ?? number }
            asked()
            signal.finish()
        }
        let work = Task { try await body() }
        let cancelling = Task {
            for await _ in signalled {}
            work.cancel()
        }
        let end = await work.result
        cancelling.cancel()
        signals.stop()
        return (end, first.signal.withLock(\.self))
    }
}
