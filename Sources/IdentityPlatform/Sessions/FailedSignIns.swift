// SPDX-License-Identifier: Apache-2.0
internal import Storage

/// Writes refused sign-ins to the audit log.
struct FailedSignIns: Sendable {
    let database: any Database
    let environment: ClockAndRandomness

    /// Records a refused sign-in, with the person's object id if the name is known. Equal refusals within ten minutes
    /// share one entry with a count.
    ///
    /// - Throws: ``StorageError``
    func record(
        name: String, tenant: TenantID, client: String, method: SignInMethod
    ) async throws {
        try await database.write { connection in
            let user = try Users(connection).find(name: name, tenant: tenant)
            let known = try ClientID(rawValue: client).flatMap { try Clients(connection).find($0, tenant: tenant) }
            try AuditLog(connection).appendOrCount(
                AuditLine(
                    .signIn, tenant: tenant, actor: user?.id.rawValue ?? "unknown", subject: known?.id.rawValue,
                    outcome: "refused", method: method, at: environment.now()))
        }
    }
}
