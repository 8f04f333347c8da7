// SPDX-License-Identifier: Apache-2.0
internal import Logging
internal import ServiceLifecycle
internal import Storage

/// Stops the server if its clock no longer agrees with the database server's clock. A server with a wrong clock would
/// refuse what other nodes have issued, and accept what has expired. Until the server has stopped,
/// ``ClockGuardedDatabase`` runs no transaction.
struct ClockService: Service {
    let check: ClockCheck
    let clock: ClockGuard
    let logger: Logger
    /// Waits for the next second.
    var pause: @Sendable () async throws -> Void = { try await Task.sleep(for: .seconds(1)) }

    /// The seconds between two comparisons, if nobody sets the machine's clock.
    static let interval = 60

    func run() async throws {
        try await cancelWhenGracefulShutdown { try await watch() }
    }

    /// Compares the clocks every minute, and whenever the machine's clock has been set. After a failed comparison,
    /// tries again every second.
    ///
    /// - Throws: ``ServerError`` `clockWrong`
    func watch() async throws {
        var seconds = 0
        var warnings = WarningPace()
        while true {
            do { try await pause() } catch { return }
            seconds += 1
            guard seconds >= Self.interval || !clock.isGood else { continue }
            do {
                try await confirm()
                seconds = 0
            } catch let error as StorageError {
                guard warnings.isDue() else { continue }
                logger.error("the clock could not be checked", metadata: ["error": "\(error)"])
            } catch is CancellationError {
                return
            }
        }
    }

    /// Compares the clocks.
    ///
    /// - Throws: ``ServerError`` `clockWrong`, ``StorageError``, `CancellationError`
    func confirm() async throws {
        let difference = try await check.difference()
        clock.confirm(difference)
        guard !clock.isGood else { return }
        let seconds = difference.components.seconds
        throw ServerError(
            .clockWrong,
            """
            The clock of this machine is \(abs(seconds)) s \(seconds > 0 ? "ahead of" : "behind") the clock of the \
            database server; the limit is \(ClockCheck.limit.components.seconds) s.
            """,
            remedy: "Synchronise both clocks, for example with chrony, and start the server again.")
    }
}
