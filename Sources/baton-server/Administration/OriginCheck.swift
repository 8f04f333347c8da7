// SPDX-License-Identifier: Apache-2.0
internal import AdminServer
internal import HTTPTypes
internal import Hummingbird

/// Refuses requests that another site's page makes. Callers authenticate with a token that no browser adds by itself, so
/// such a request has no authority; it is refused so that a page cannot even try tokens.
struct OriginCheck: RequestCheck {
    /// The origin of the listener itself.
    let origin: String

    func refusal(of request: Request) -> OperationRefusal? {
        let site = request.headers[Self.site]
        guard request.headers[.origin].map({ $0 == origin }) ?? true, ["none", "same-origin", nil].contains(site) else {
            return OperationRefusal(
                "admin.origin", status: .forbidden,
                (
                    "The request comes from a page of another site.",
                    "Call from a program, or from a page of this server."
                ))
        }
        return nil
    }

    private static let site = AdminFieldName.fetchSite.field
}
