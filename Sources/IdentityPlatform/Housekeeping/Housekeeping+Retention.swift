// SPDX-License-Identifier: Apache-2.0
internal import Logging
internal import Storage

extension Housekeeping {
    /// Records in the audit log which break-glass access has expired. The access itself ended on time, even without
    /// this record.
    func endBreakGlass(of tenant: TenantID, at now: Timestamp, step: Int) async throws -> Int {
        let ended = try await database.write { connection in
            let grants = try connection.records(
                BreakGlassGrant.self,
                "WHERE tenant = \(tenant) AND ended IS NULL AND expires <= \(now) ORDER BY expires LIMIT \(step)")
            for grant in grants {
                try BreakGlassGrants(connection).end(grant, at: now, outcome: "expired", by: AuditLog.server)
            }
            return grants.map(\.id)
        }
        for id in ended { Logger.current.warning("break-glass access has expired", metadata: ["grant.id": "\(id)"]) }
        return ended.count
    }

    /// The statements that delete sessions and heads of receipt chains whose retention period has ended.
    func retained(_ tenant: TenantID, now: Timestamp, step: Int) -> [SQL] {
        let (sessions, receipts) = (now - retention.sessions, now - retention.receipts)
        return [
            // A session with credentials, or one that began within the period, is never deleted.
            """
            DELETE FROM session WHERE tenant = \(tenant) AND id IN (
                SELECT id FROM session WHERE tenant = \(tenant) AND begun <= \(sessions)
                    AND COALESCE(ended, 0) <= \(sessions)
                    AND NOT EXISTS (SELECT 1 FROM authorizationCode
                        WHERE authorizationCode.tenant = session.tenant AND authorizationCode.session = session.id)
                    AND NOT EXISTS (SELECT 1 FROM deviceCode
                        WHERE deviceCode.tenant = session.tenant AND deviceCode.session = session.id)
                    AND NOT EXISTS (SELECT 1 FROM refreshToken
                        WHERE refreshToken.tenant = session.tenant AND refreshToken.session = session.id)
                    AND NOT EXISTS (SELECT 1 FROM primaryRefreshToken
                        WHERE primaryRefreshToken.tenant = session.tenant AND primaryRefreshToken.session = session.id)
                    AND NOT EXISTS (SELECT 1 FROM browserSession
                        WHERE browserSession.tenant = session.tenant AND browserSession.session = session.id)
                LIMIT \(step))
            """,
            """
            DELETE FROM breakGlass WHERE tenant = \(tenant) AND id IN (
                SELECT id FROM breakGlass WHERE tenant = \(tenant) AND ended <= \(now - retention.audit)
                LIMIT \(step))
            """,
            // The newest head of each chain is kept.
            """
            DELETE FROM receiptAnchor WHERE tenant = \(tenant) AND (chain, sequence) IN (
                SELECT chain, sequence FROM receiptAnchor AS head WHERE tenant = \(tenant) AND time <= \(receipts)
                    AND EXISTS (SELECT 1 FROM receiptAnchor AS later
                        WHERE later.tenant = head.tenant AND later.chain = head.chain
                            AND later.sequence > head.sequence)
                LIMIT \(step))
            """,
        ]
    }
}
