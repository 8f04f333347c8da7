// SPDX-License-Identifier: Apache-2.0

/// The response to a refused administration call: `{"error":{"code","message","remedy"}}`.
package struct AdminFailure: Error, Codable, Sendable {
    package let error: Reason

    /// - Parameter changed: the names of the members of an object that have changed, if the call was refused for this
    ///   reason.
    package init(code: String, message: String, remedy: String, changed: [String]? = nil) {
        error = Reason(code: code, message: message, remedy: remedy, changed: changed)
    }

    /// The texts of a refusal: the cause and the remedy.
    package typealias Words = (message: String, remedy: String)

    /// The texts for a body that cannot be decoded. Every engine uses them.
    package static let malformedBody: Words = (
        "The body does not have the form that this call expects.", "Compare it with docs/administration.md."
    )
    /// The texts for a call that names no tenant while the server has none. Every engine uses them.
    package static let noTenants: Words = (
        "The server has no tenant.", "Add one: baton admin tenant add DOMAIN --name NAME."
    )

    /// Returns the texts for a call that names no tenant while the server has several. Every engine uses them.
    ///
    /// - Parameter tenants: the domains of the tenants.
    package static func ambiguousTenant(_ tenants: [String]) -> Words {
        let named = tenants.prefix(10).joined(separator: ", ") + (tenants.count > 10 ? ", …" : "")
        return (
            "The server has several tenants\(named.isEmpty ? "" : ": \(named)").",
            "Name one of them: --tenant \(tenants.first ?? "DOMAIN")."
        )
    }

    /// The texts for an internal failure. Every engine uses them.
    package static let fault: Words = ("The server failed.", "Look into the server's log.")

    /// A stable code, the cause and the remedy.
    package struct Reason: Codable, Sendable {
        package let code: String
        package let message: String
        package let remedy: String
        /// The names of the members that have changed since the caller read the object; nil for other refusals.
        package let changed: [String]?
    }
}
