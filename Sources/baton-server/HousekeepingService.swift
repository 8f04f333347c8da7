// SPDX-License-Identifier: Apache-2.0
internal import IdentityPlatform
internal import Logging
internal import ServiceLifecycle

/// Removes expired rows from the databases every ten minutes while the server runs.
struct HousekeepingService: Service {
    let housekeeping: Housekeeping
    let logger: Logger

    func run() async throws {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                await round()
                do { try await Task.sleep(for: Housekeeping.interval) } catch { return }
            }
        }
    }

    /// Removes expired rows once. If that fails, the next round tries again.
    private func round() async {
        do { try await housekeeping.round() } catch is CancellationError {
            // The server is stopping.
        } catch {
            logger.error("housekeeping failed", metadata: ["error": "\(error)"])
        }
    }
}
