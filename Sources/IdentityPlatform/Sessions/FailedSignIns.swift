// SPDX-License-Identifier: Apache-2.0
internal import Storage

/// The lines of the audit log about refused sign-ins.
struct FailedSignIns: Sendable {
    let database: any Database
    let environment: ClockAndRandomness

    /// Records a refused sign-in, by object id where there is such a person. Refusals of the same kind within ten minutes
    /// are one line with a count.
    ///
    /// - Throws: ``StorageError``
    func record(
        name: String, tenant: TenantID, client: String, method: SignInMethod
    ) async throws {
        try await database.write { connection in
            let user = try Users(connection).find(name: name, tenant: tenant)
            let known = try ClientID(rawValue: client).flatMap { try Clients(connection).find($0, tenant: tenant) }
            try AuditLog(connection).appendOrCount(
                .signIn, tenant: tenant, actor: user?.id.rawValue ?? "unknown", subject: known?.id.rawValue,
                outcome: "refused", method: method, at: environment.now())
        }
    }
}
