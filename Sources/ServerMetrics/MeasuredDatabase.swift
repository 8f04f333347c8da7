// SPDX-License-Identifier: Apache-2.0
package import CoreMetrics
package import Observability
package import Storage

/// Passes transactions to a database, measures the writes and counts the failures.
package struct MeasuredDatabase: Database {
    private let base: any Database
    private let writes: CoreMetrics.Timer
    private let failures: [StorageError.Code: Counter]

    private static let write = "baton_database_write_duration_seconds"
    private static let failed = "baton_database_failures_total"

    /// Returns the declarations for databases with these names.
    package static func declarations(_ databases: [String]) -> [MetricDeclaration] {
        let database = MetricDeclaration.Label("database", databases)
        return [
            MetricDeclaration(
                write, .histogram([0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]),
                labels: [database],
                help: "Time of a write, from the request to the durable commit, with waits and repetitions."),
            MetricDeclaration(
                failed, .counter, labels: [database, .init("code", StorageError.Code.self)],
                help: "Transactions that failed, by the code of the error."),
        ]
    }

    package init(_ base: any Database, name: String, factory: any MetricsFactory) {
        self.base = base
        writes = CoreMetrics.Timer(label: Self.write, dimensions: [("database", name)], factory: factory)
        failures = Dictionary(
            uniqueKeysWithValues: StorageError.Code.allCases.map { code in
                let labels = [("database", name), ("code", code.rawValue)]
                return (code, Counter(label: Self.failed, dimensions: labels, factory: factory))
            })
    }

    package var isShared: Bool { base.isShared }

    /// The use of the database's connections; nil if it has no pool.
    package var load: PoolLoad? { (base as? any PooledDatabase)?.load }

    package func read<T: Sendable>(_ body: @escaping @Sendable (any Connection) throws -> T) async throws -> T {
        do { return try await base.read(body) } catch { throw counted(error) }
    }

    @discardableResult
    package func write<T: Sendable>(_ body: @escaping @Sendable (any Connection) throws -> T) async throws -> T {
        let begun = ContinuousClock.now
        do {
            let value = try await base.write(body)
            let (seconds, attoseconds) = begun.duration(to: .now).components
            writes.recordNanoseconds(seconds * 1_000_000_000 + attoseconds / 1_000_000_000)
            return value
        } catch {
            throw counted(error)
        }
    }

    package func observe(_ observer: @escaping @Sendable (any Announcement) -> Void) { base.observe(observer) }

    /// Runs the job. The job's own transactions are measured, so nothing is counted here.
    package func exclusively<T: Sendable>(_ job: String, _ body: @Sendable () async throws -> T) async throws -> T? {
        try await base.exclusively(job, body)
    }

    package func serverTime() async throws -> Timestamp? {
        do { return try await base.serverTime() } catch { throw counted(error) }
    }

    private func counted(_ error: any Error) -> any Error {
        if let error = error as? StorageError { failures[error.code]?.increment() }
        return error
    }
}
