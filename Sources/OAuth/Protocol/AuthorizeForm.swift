// SPDX-License-Identifier: Apache-2.0

/// A form of the pages that the authorization endpoint shows.
package enum AuthorizeForm: String, CaseIterable, Sendable {
    case login, account, consent

    /// - Parameter tenant: the tenant's name in the request for the page.
    package func path(tenant: some StringProtocol) -> String { "/\(tenant)/\(rawValue)" }
}
