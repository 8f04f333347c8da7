// SPDX-License-Identifier: Apache-2.0
internal import Logging
internal import ServiceLifecycle
internal import Storage

/// Stops the server if its clock no longer agrees with the database server's clock. A server with a wrong clock would
/// refuse what other nodes have issued, and accept what has expired.
struct ClockService: Service {
    let check: ClockCheck
    let logger: Logger

    func run() async throws {
        try await cancelWhenGracefulShutdown {
            while true {
                do { try await Task.sleep(for: .seconds(60)) } catch { return }
                do { try await confirm() } catch let error as StorageError {
                    logger.error("the clock could not be checked", metadata: ["error": "\(error)"])
                } catch is CancellationError {
                    return
                }
            }
        }
    }

    /// Compares the clocks.
    ///
    /// - Throws: ``ServerError`` `clockWrong`, ``StorageError``, `CancellationError`
    func confirm() async throws {
        guard let excess = try await check.excess() else { return }
        let seconds = excess.components.seconds
        throw ServerError(
            .clockWrong,
            """
            the clock of this machine is \(abs(seconds)) s \(seconds > 0 ? "ahead of" : "behind") the clock of the \
            database server; the limit is \(ClockCheck.limit.components.seconds) s.
            """,
            remedy: "Synchronise both clocks, for example with chrony, and start the server again.")
    }
}
