// SPDX-License-Identifier: Apache-2.0
internal import JSON
internal import Storage

extension GraphKind where Item == AuditEntry {
    /// `auditLogs/directoryAudits`: all audit entries except those for sign-ins, the newest first.
    static let directoryAudits = lines(
        "auditLogs/directoryAudits", type: "#microsoft.graph.directoryAudit", where: " AND action <> 'sign-in'",
        [
            .standard("activityDateTime") { .string($0.time.iso8601) },
            .standard("activityDisplayName", filter: GraphFilter.text("action")) { .string($0.action) },
            .standard("initiatedBy") { initiator(of: $0) },
            .standard("loggedByService") { _ in .string("Baton") },
            .standard("repetitions") { .integer(Int($0.repetitions)) },
            .standard("result") { .string($0.outcome == "refused" ? "failure" : "success") },
            .standard("resultReason") { .string($0.outcome) },
            .standard("targetResources") { entry in
                .array((entry.subject ?? "").split(separator: " ").map { .object(["id": .string(String($0))]) })
            },
        ])

    /// `auditLogs/signIns`: the audit entries for successful and refused sign-ins, with their method.
    static let signIns = lines(
        "auditLogs/signIns", type: "#microsoft.graph.signIn", where: " AND action = 'sign-in'",
        [
            .standard("appId", filter: GraphFilter.text("subject")) { JSONValue($0.subject) },
            .standard("clientAppUsed", filter: GraphFilter.text("method")) { JSONValue($0.method?.rawValue) },
            .standard("createdDateTime") { .string($0.time.iso8601) },
            .standard("ipAddress", filter: GraphFilter.text("clientAddress")) { JSONValue($0.clientAddress) },
            .standard("repetitions") { .integer(Int($0.repetitions)) },
            .standard("status") { entry in
                .object(["errorCode": .integer(entry.outcome == "done" ? 0 : 50126)])
            },
            .standard("userId", filter: GraphFilter.text("actor")) { .string($0.actor) },
        ])

    private static func initiator(of entry: AuditEntry) -> JSONValue {
        if entry.actor == AuditLog.localOperator {
            return .object(["app": .object(["displayName": .string(entry.actor)])])
        }
        let prefix = ApplicationToken.auditPrefix
        if entry.actor.hasPrefix(prefix) {
            return .object(["app": .object(["appId": .string(String(entry.actor.dropFirst(prefix.count)))])])
        }
        return .object([
            "user": .object(["id": .string(entry.actor), "ipAddress": JSONValue(entry.clientAddress)])
        ])
    }

    private static func lines(
        _ collection: String, type: String, where scope: SQL, _ properties: [GraphProperty<AuditEntry>]
    ) -> GraphKind {
        GraphKind(
            collection: collection, type: { _ in type },
            properties: [
                .standard("id") { .string(String($0.position)) },
                .standard("correlationId", filter: GraphFilter.text("correlation")) { JSONValue($0.correlation) },
            ] + properties,
            key: { String($0.position) },
            find: { key, tenant, connection in
                guard case .id(let text) = key, let position = Int64(text), position < .max else { return nil }
                let newest = try AuditLog(connection).lines(
                    where: scope, before: position + 1, limit: 1, tenant: tenant)
                return newest.first { $0.position == position }
            },
            all: { tenant in
                GraphList { page, connection in
                    try AuditLog(connection).lines(
                        where: "\(scope)\(page.condition)", before: page.after.flatMap { Int64($0) } ?? .max,
                        limit: page.limit, tenant: tenant)
                } count: { page, connection in
                    try AuditLog(connection).count(where: "\(scope)\(page.condition)", tenant: tenant)
                }
            })
    }
}
