// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Storage
import StoragePostgreSQL
import Synchronization
import TestSupport

/// The cost of audit lines that many nodes append at once.
struct AuditCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "audit", abstract: "Measures audit lines in PostgreSQL, which it starts in a scratch folder.",
        discussion: """
            The reference computes each position from the highest one, as older servers did. "attempts" is the number \
            of transactions for each line.
            """)

    @Option(help: "Seconds for each figure.") var seconds = 5
    @Option(help: "How many connections append at once.") var connections = 8

    func run() throws {
        let (seconds, connections) = (seconds, connections)
        try blocking {
            try await Scratch.with { scratch in
                let cluster = try await PostgreSQLCluster.start(["fsync=on"], in: scratch)
                let load = Load(seconds: seconds, clients: connections)
                for (name, append) in [("highest position + 1", counted), ("from the clock", Self.stamped)] {
                    try await Self.measure(name, load, cluster, append)
                }
            }
        }
    }

    private typealias Append = @Sendable (TenantID, any Connection) throws -> Void

    private static func measure(
        _ name: String, _ load: Load, _ cluster: PostgreSQLCluster, _ append: @escaping Append
    ) async throws {
        var configuration = PostgreSQLConfiguration(
            server: .socket(folder: cluster.folder), database: PostgreSQLCluster.database,
            user: PostgreSQLCluster.superuser, schema: "audit_\(name.utf8.count)")
        configuration.limits.connections = load.clients
        let database = try await PostgreSQLDatabase(configuration, migrations: [table])
        guard let tenant = TenantID(rawValue: "2f1c0a52-6f0e-4b1f-9f1c-8d2a4f3b7c10") else {
            throw BenchProblem("no tenant")
        }
        let attempts = Mutex(0)
        let measured = try await load.run {
            $0
        } _: { client in
            try await database.write { connection in
                attempts.withLock { $0 += 1 }
                try append(tenant, connection)
            }
            return client
        }
        let lines = try await database.read { try $0.row("SELECT COUNT(*) AS count FROM audit")?["count"] ?? 0 }
        Figure("audit", name, measured).print()
        report("\(name): \(attempts.withLock { $0 }) transactions for \(lines) lines")
    }

    @Sendable private static func stamped(_ tenant: TenantID, _ connection: any Connection) throws {
        try AuditLog(connection).append(
            AuditLine(AuditAction(rawValue: "sign-in"), tenant: tenant, actor: "person", subject: "client", at: .now))
    }

    private static let table = Migration(
        "audit",
        [
            """
            CREATE TABLE audit (
                tenant TEXT NOT NULL, position BIGINT NOT NULL, time BIGINT NOT NULL, actor TEXT NOT NULL,
                action TEXT NOT NULL, subject TEXT, outcome TEXT NOT NULL, repetitions BIGINT NOT NULL, method TEXT,
                correlation TEXT, detail TEXT, PRIMARY KEY (tenant, position))
            """, "CREATE INDEX auditByActor ON audit (tenant, actor, time)",
            "CREATE INDEX auditByTime ON audit (tenant, time)",
        ])
}

/// Appends a line whose position is computed from the highest position.
@Sendable private func counted(_ tenant: TenantID, _ connection: any Connection) throws {
    let row = try connection.row(
        "SELECT position FROM audit WHERE tenant = \(tenant) ORDER BY position DESC LIMIT 1")
    let last: Int64 = try row?["position"] ?? 0
    try connection.execute(
        """
        INSERT INTO audit (tenant, position, time, actor, action, subject, outcome, repetitions)
        VALUES (\(tenant), \(last + 1), \(Timestamp.now), 'person', 'sign-in', 'client', 'done', 1)
        """)
}
