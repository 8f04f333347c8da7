// SPDX-License-Identifier: Apache-2.0
internal import AdminAPI
internal import AdminServer
internal import Hummingbird
internal import Storage

/// The administration routes for receipts.
struct ReceiptRoutes: Sendable {
    let deviceAuthorities: DeviceAuthorities
    let receiptAuthorities: ReceiptAuthorities

    func add(to router: AdminRouter) {
        router.on(IdentityAdmin.getReceiptTrust) { call in
            try await receiptAuthorities.trust(of: try await call.tenant().id, devices: deviceAuthorities)
        }
        router.on(IdentityAdmin.resolveReceiptSubject) { call in
            let (subject, person) = try await resolve(
                try call.place("subject"), tenant: try await call.tenant().id, call)
            return IdentityAdmin.ReceiptSubject(
                user: subject.user.rawValue, userPrincipalName: person?.userPrincipalName,
                device: subject.device.rawValue, session: subject.session.rawValue)
        }
    }

    /// Resolves a receipt's pseudonym. The lookup is recorded in the audit log.
    ///
    /// - Returns: the ids of the person, the device and the session; also the person, if still in the organisation.
    private func resolve(
        _ pseudonym: String, tenant: TenantID, _ call: AdminCall
    ) async throws -> (subject: ReceiptAuthority.Subject, person: User?) {
        guard let subject = try await receiptAuthorities.authority(of: tenant).subject(of: pseudonym) else {
            throw AdminRefusal.noReceiptSubject
        }
        return try await call.acts.transactions.write { act in
            try act.record(.receiptResolved, of: tenant, subject: subject.user.rawValue)
            return (subject, try Users(act.connection).find(subject.user, tenant: tenant))
        }
    }
}
