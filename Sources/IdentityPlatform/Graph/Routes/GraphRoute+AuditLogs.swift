// SPDX-License-Identifier: Apache-2.0
internal import HTTPTypes
internal import Hummingbird

extension GraphRoute {
    /// The audit log.
    static let auditLogs: [GraphRoute] =
        reading(.directoryAudits, .readAudit) + reading(.signIns, .readAudit)
}
