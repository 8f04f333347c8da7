// SPDX-License-Identifier: Apache-2.0

/// The response to a refused administration call: `{"error":{"code","message","remedy"}}`.
package struct AdminFailure: Error, Codable, Sendable {
    package let error: Reason

    package init(code: String, message: String, remedy: String) {
        error = Reason(code: code, message: message, remedy: remedy)
    }

    /// The texts of a refusal: the cause and the remedy.
    package typealias Words = (message: String, remedy: String)

    /// For a body that cannot be decoded; the same in every engine.
    package static let malformedBody: Words = (
        "The body does not have the form that this call expects.", "Compare it with docs/administration.md."
    )
    /// For a call that names no tenant while the server has none; the same in every engine.
    package static let noTenants: Words = (
        "The server has no tenant.", "Add one: baton admin tenant add DOMAIN --name NAME."
    )

    /// For a call that names no tenant while the server has several; the same in every engine.
    ///
    /// - Parameter tenants: their domains.
    package static func ambiguousTenant(_ tenants: [String]) -> Words {
        let named = tenants.prefix(10).joined(separator: ", ") + (tenants.count > 10 ? ", …" : "")
        return (
            "The server has several tenants\(named.isEmpty ? "" : ": \(named)").",
            "Name one of them: --tenant \(tenants.first ?? "DOMAIN")."
        )
    }

    /// For an internal failure; the same in every engine.
    package static let fault: Words = ("The server failed.", "Look into the server's log.")

    /// A stable code, the cause and the remedy.
    package struct Reason: Codable, Sendable {
        package let code: String
        package let message: String
        package let remedy: String
    }
}
