// SPDX-License-Identifier: Apache-2.0
package import Logging

/// The device's proof for a sign-in page, with a time limit.
///
/// Without the proof the sign-in continues, but the server counts wrong passwords as it does for a browser that is not
/// on a joined device.
package struct PageProof: Sendable {
    package static let timeLimit = Duration.seconds(5)

    private let clock: any Clock<Duration>
    private let logger: Logger
    private let make: @Sendable () async throws -> String

    /// - Parameter make: fetches the data that the server wants signed, and signs it.
    package init(
        clock: any Clock<Duration> = ContinuousClock(), logger: Logger,
        make: @escaping @Sendable () async throws -> String
    ) {
        (self.clock, self.logger, self.make) = (clock, logger, make)
    }

    private struct TimeLimitReached: Error, CustomStringConvertible {
        var description: String { "none within \(PageProof.timeLimit.components.seconds) seconds" }
    }

    /// Makes the proof; returns nil and logs the error if that fails or takes too long.
    package func text() async -> String? {
        do {
            return try await withThrowingTaskGroup(of: String.self) { group in
                group.addTask { [make] in try await make() }
                group.addTask { [clock] in
                    try await clock.sleep(for: Self.timeLimit)
                    throw TimeLimitReached()
                }
                defer { group.cancelAll() }
                return try await group.next()
            }
        } catch {
            logger.notice("sign-in page without the device's proof", metadata: ["error": "\(error)"])
            return nil
        }
    }
}
