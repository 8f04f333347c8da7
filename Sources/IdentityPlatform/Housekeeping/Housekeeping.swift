// SPDX-License-Identifier: Apache-2.0
internal import Storage

/// Removes credentials, throttle counts and accepted requests that have expired, and signing keys whose tokens have all
/// expired. Removes what is older than its retention period (``RetentionPeriods``): audit entries, sessions without
/// credentials, and heads of receipt chains. Also replaces signing keys when they are due. The work is done in small
/// steps, so that no sign-in has to wait for it.
package struct Housekeeping: Sendable {
    let database: any Database
    /// Whether other nodes use the database.
    let isShared: Bool
    let environment: ClockAndRandomness
    let retention: RetentionPeriods
    let rotation: KeyRotation
    /// Does the housekeeping of another part of the server, and returns how many rows it removed.
    let neighbour: @Sendable () async throws -> Int
    /// How long an expired credential is kept. A request with an expired credential is refused as "expired" while the
    /// credential is kept, and as "unknown" afterwards.
    private static let memory = Duration.seconds(86400)

    /// - Parameter neighbour: does one step of the housekeeping of another part of the server, and returns how many
    ///   rows it removed. This step runs in the same rounds (``round()``) as the platform's own housekeeping, so one
    ///   node does both.
    package init(_ platform: Platform, beside neighbour: @escaping @Sendable () async throws -> Int = { 0 }) {
        (database, isShared, environment) = (platform.database, platform.isShared, platform.environment)
        (retention, rotation) = (platform.configuration.retention, KeyRotation(platform))
        self.neighbour = neighbour
    }

    /// Runs one round of removals and key rotations for every organisation.
    ///
    /// - Parameter step: for each kind of row, the maximum number that one transaction removes.
    /// - Returns: how many rows were removed and keys added; 0 if nothing is left to do for now.
    /// - Throws: ``StorageError``
    package func sweep(step: Int = 500) async throws -> Int {
        var removed = 0
        for tenant in try await database.read({ try Tenants($0).all().map(\.id) }) {
            removed += try await rotation.keep(tenant)
            let now = environment.now()
            let before = now - Self.memory
            for statement in Self.statements(tenant, now: now, before: before, step: step)
                + retained(tenant, now: now, step: step)
            {
                removed += try await database.write { try $0.execute(statement) }
            }
            removed += try await forgetAudit(of: tenant, step: step)
            removed += try await Erasures(database: database, environment: environment)
                .advance(tenant)
            removed += try await endBreakGlass(of: tenant, at: now, step: step)
        }
        for tenant in try await database.read({ try Tenants($0).removed() }) {
            removed += try await forgetAudit(of: tenant, step: step)
        }
        let now = environment.now()
        removed += try await database.write { connection in
            try connection.execute(
                """
                DELETE FROM acceptedRequest WHERE digest IN (
                    SELECT digest FROM acceptedRequest WHERE expires <= \(now) LIMIT \(step))
                """)
        }
        return removed
    }

    private func forgetAudit(of tenant: TenantID, step: Int) async throws -> Int {
        let oldest = environment.now() - retention.audit
        return try await database.write {
            try AuditLog($0).remove(until: oldest, limit: step, tenant: tenant)
        }
    }

    private static func statements(
        _ tenant: TenantID, now: Timestamp, before: Timestamp, step: Int
    ) -> [SQL] {
        [
            """
            DELETE FROM authorizationCode WHERE tenant = \(tenant) AND hash IN (
                SELECT hash FROM authorizationCode WHERE tenant = \(tenant) AND expires <= \(before) LIMIT \(step))
            """,
            """
            DELETE FROM deviceCode WHERE tenant = \(tenant) AND hash IN (
                SELECT hash FROM deviceCode WHERE tenant = \(tenant) AND expires <= \(before) LIMIT \(step))
            """,
            """
            DELETE FROM refreshToken WHERE tenant = \(tenant) AND hash IN (
                SELECT hash FROM refreshToken WHERE tenant = \(tenant) AND expires <= \(before) LIMIT \(step))
            """,
            """
            DELETE FROM primaryRefreshToken WHERE tenant = \(tenant) AND hash IN (
                SELECT hash FROM primaryRefreshToken WHERE tenant = \(tenant) AND expires <= \(before) LIMIT \(step))
            """,
            """
            DELETE FROM browserSession WHERE tenant = \(tenant) AND hash IN (
                SELECT hash FROM browserSession WHERE tenant = \(tenant) AND expires <= \(before) LIMIT \(step))
            """,
            """
            DELETE FROM offlineLease WHERE tenant = \(tenant) AND id IN (
                SELECT id FROM offlineLease WHERE tenant = \(tenant) AND expires <= \(now) LIMIT \(step))
            """,
            """
            DELETE FROM deviceBrowser WHERE tenant = \(tenant) AND browser IN (
                SELECT browser FROM deviceBrowser WHERE tenant = \(tenant) AND noted <= \(before)
                    AND (deviceBrowser.sharedDevice = 0 OR NOT EXISTS (SELECT 1 FROM device
                        WHERE device.tenant = deviceBrowser.tenant AND device.id = deviceBrowser.device
                            AND device.epochCounter = deviceBrowser.epochCounter AND device.epochClosed = 0))
                    AND (deviceBrowser.sharedDevice = 1 OR NOT EXISTS (SELECT 1 FROM session
                        WHERE session.tenant = deviceBrowser.tenant AND session.id = deviceBrowser.session
                            AND session.ended IS NULL))
                LIMIT \(step))
            """,
            """
            DELETE FROM clientAssertion WHERE tenant = \(tenant) AND (client, hash) IN (
                SELECT client, hash FROM clientAssertion WHERE tenant = \(tenant) AND expires <= \(now) LIMIT \(step))
            """,
            // The hash alone identifies a row, because the row's kind is part of the hash's input.
            """
            DELETE FROM signInThrottle WHERE tenant = \(tenant) AND hash IN (
                SELECT hash FROM signInThrottle WHERE tenant = \(tenant) AND expires <= \(now) LIMIT \(step))
            """,
        ]
    }
}
