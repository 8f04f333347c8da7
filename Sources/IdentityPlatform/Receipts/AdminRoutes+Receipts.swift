// SPDX-License-Identifier: Apache-2.0
internal import AdminAPI
internal import Hummingbird
internal import Storage

extension AdminRoutes {
    func addReceiptRoutes<Context: RequestContext>(to router: Router<Context>) {
        on(router, .get, .receiptTrust) { _, context in
            Response(status: .ok, json: try await platform.receiptTrust(of: try await tenant(context).id))
        }
        on(router, .get, .receiptSubject) { _, context in
            let (subject, person) = try await administration.resolve(
                try place("subject", context), tenant: try await tenant(context))
            return try Self.json(
                IdentityAdmin.ReceiptSubject(
                    user: subject.user.rawValue, userPrincipalName: person?.userPrincipalName,
                    device: subject.device.rawValue, session: subject.session.rawValue))
        }
    }
}
