// SPDX-License-Identifier: Apache-2.0

/// One of the HTML forms on the pages of the authorization endpoint.
package enum AuthorizeForm: String, CaseIterable, Sendable {
    case login, account, consent

    /// - Parameter tenant: the tenant's name in the request for the page.
    package func path(tenant: some StringProtocol) -> String { "/\(tenant)/\(rawValue)" }
}
