// SPDX-License-Identifier: Apache-2.0
private import Synchronization

/// Notices at once when the machine's clock is set, by comparing it with a clock that nobody can set.
///
/// ``ClockCheck`` asks the database server for the time, but only from time to time. Between two checks, this type
/// takes the difference that the last check found, and adds the amount by which the machine's clock has been set since.
package final class ClockGuard: Sendable {
    private struct Reference {
        let time: Timestamp
        let steady: ContinuousClock.Instant
        /// By how much the machine's clock was ahead of the database server's clock at the last check.
        let difference: Duration
    }

    private let reference: Mutex<Reference>
    private let now: @Sendable () -> Timestamp
    private let steady: @Sendable () -> ContinuousClock.Instant

    /// - Parameters:
    ///   - now: the machine's clock.
    ///   - steady: the time since the machine's start, which continues while the machine sleeps.
    package init(
        now: @escaping @Sendable () -> Timestamp = { .now },
        steady: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) {
        (self.now, self.steady) = (now, steady)
        reference = Mutex(Reference(time: now(), steady: steady(), difference: .zero))
    }

    /// Records the difference that a check found.
    package func confirm(_ difference: Duration) {
        let new = Reference(time: now(), steady: steady(), difference: difference)
        reference.withLock { $0 = new }
    }

    /// By how much the machine's clock is now ahead of the database server's clock, as far as this machine can know.
    package var difference: Duration {
        let reference = reference.withLock { $0 }
        let passed = Duration.milliseconds(now().rawValue - reference.time.rawValue)
        return reference.difference + passed - reference.steady.duration(to: steady())
    }

    /// Whether the machine's clock is good enough for the node to serve requests.
    package var isGood: Bool { abs(difference.milliseconds) < ClockCheck.limit.milliseconds }
}

/// A shared database, for a node whose clock may be set at any moment. While the clock is wrong, no transaction and no
/// job runs, because each would use a wrong time to decide what has expired.
package struct ClockGuardedDatabase: PooledDatabase {
    private let base: any PooledDatabase
    private let clock: ClockGuard

    package init(_ base: any PooledDatabase, clock: ClockGuard) { (self.base, self.clock) = (base, clock) }

    package var isShared: Bool { base.isShared }
    package var load: PoolLoad { base.load }

    package func read<T: Sendable>(_ body: @escaping @Sendable (any Connection) throws -> T) async throws -> T {
        try check()
        return try await base.read(body)
    }

    @discardableResult
    package func write<T: Sendable>(_ body: @escaping @Sendable (any Connection) throws -> T) async throws -> T {
        try check()
        return try await base.write(body)
    }

    package func observe(_ observer: @escaping @Sendable (any Announcement) -> Void) { base.observe(observer) }

    package func exclusively<T: Sendable>(_ job: String, _ body: @Sendable () async throws -> T) async throws -> T? {
        try check()
        return try await base.exclusively(job, body)
    }

    /// Returns the server's time even while the machine's clock is wrong, so that the two clocks can be compared.
    package func serverTime() async throws -> Timestamp? { try await base.serverTime() }

    private func check() throws {
        guard clock.isGood else {
            throw StorageError(
                .unavailable,
                "the clock of this machine was set by \(clock.difference.components.seconds) s, so nothing is decided")
        }
    }
}
