// SPDX-License-Identifier: Apache-2.0

/// What an administration call answers when it is refused: `{"error":{"code","message","remedy"}}`.
package struct AdminFailure: Error, Codable, Sendable {
    package let error: Reason

    package init(code: String, message: String, remedy: String) {
        error = Reason(code: code, message: message, remedy: remedy)
    }

    /// What a refusal says: the cause, and what to do.
    package typealias Words = (message: String, remedy: String)

    /// What every engine says of a body that it cannot read.
    package static let malformedBody: Words = (
        "The body is not the JSON that this call takes.", "Compare it with docs/administration.md."
    )
    /// What every engine says where no tenant is named and there is none.
    package static let noTenants: Words = (
        "The server has no tenant.", "Add one: baton admin tenant add DOMAIN --name NAME."
    )

    /// What every engine says where no tenant is named and there are several.
    ///
    /// - Parameter tenants: their domains.
    package static func ambiguousTenant(_ tenants: [String]) -> Words {
        let named = tenants.prefix(10).joined(separator: ", ") + (tenants.count > 10 ? ", …" : "")
        return (
            "The server has several tenants\(named.isEmpty ? "" : ": \(named)").",
            "Name one of them: --tenant \(tenants.first ?? "DOMAIN")."
        )
    }

    /// What every engine says of its own failures.
    package static let fault: Words = ("The server failed.", "Look into the server's log.")

    /// A stable code, its cause, and what to do.
    package struct Reason: Codable, Sendable {
        package let code: String
        package let message: String
        package let remedy: String
    }
}
