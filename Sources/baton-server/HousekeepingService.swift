// SPDX-License-Identifier: Apache-2.0
internal import IdentityPlatform
internal import Logging
internal import ServiceLifecycle

/// Removes expired rows from the identity database every ten minutes while the server runs.
struct HousekeepingService: Service {
    let housekeeping: Housekeeping
    let logger: Logger

    func run() async throws {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                await round()
                do { try await Task.sleep(for: .seconds(600)) } catch { return }
            }
        }
    }

    /// Sweeps until there is nothing left to do. A failed sweep is repeated in the next round.
    private func round() async {
        do {
            while try await housekeeping.sweep() > 0, !Task.isCancelled { await Task.yield() }
        } catch {
            logger.error("housekeeping failed", metadata: ["error": "\(error)"])
        }
    }
}
