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

    /// A failed round is repeated later.
    private func round() async {
        do { try await housekeeping.round() } catch is CancellationError {
            // The server stops.
        } catch {
            logger.error("housekeeping failed", metadata: ["error": "\(error)"])
        }
    }
}
