// SPDX-License-Identifier: Apache-2.0

/// The HTTP statuses of refusals, by their codes. Both engines answer with them, and the OpenAPI document lists them.
package enum RefusalStatus {
    /// Returns the status of a refusal. Most refusals concern the form of a request and have the status 400.
    package static func of(_ code: String) -> Int { others[code] ?? 400 }

    private static let others: [String: Int] = groups.reduce(into: [:]) { statuses, group in
        for code in group.codes { statuses[code] = group.status }
    }

    private static let groups: [(status: Int, codes: [String])] = [
        (404, directoryMissing + managementMissing), (409, directoryConflicts + managementConflicts),
        (413, ["mdm.package.tooLarge"]),
        (500, ["identity.fault", "identity.password.list", "mdm.fault", "mdm.package.store"]),
        (503, ["identity.busy", "server.database.unavailable"]),
    ]

    private static let directoryMissing = [
        "identity.tenant.missing", "identity.tenant.none", "identity.user.missing", "identity.role.missing",
        "identity.client.missing", "identity.client.secret.missing", "identity.client.key.missing",
        "identity.device.missing", "identity.group.missing", "identity.session.missing",
        "identity.receipt.subject.missing", "identity.breakGlass.missing",
    ]

    private static let directoryConflicts = [
        "identity.name.taken", "identity.client.keys", "identity.client.own", "identity.client.secrets",
        "identity.keys.pending", "identity.role.last", "identity.tenant.ambiguous",
        "identity.group.ambiguous", "identity.client.ambiguous", "identity.device.ambiguous",
        "identity.device.notJoined", "identity.tenant.inUse", "identity.breakGlass.active",
        "identity.breakGlass.disabled",
    ]

    private static let managementMissing = [
        "mdm.tenant.missing", "mdm.tenant.none", "mdm.device.missing", "mdm.profile.missing", "mdm.app.missing",
        "mdm.enrollment.missing",
    ]

    private static let managementConflicts = [
        "mdm.device.notEnrolled", "mdm.device.notManaged", "mdm.device.ambiguous", "mdm.tenant.ambiguous",
        "mdm.profile.ambiguous", "mdm.profile.taken", "mdm.app.ambiguous", "mdm.queue.full",
    ]
}
