// SPDX-License-Identifier: Apache-2.0

/// The response to a refused administration call: `{"error":{"code","message","remedy"}}`.
package struct AdminFailure: Error, Codable, Sendable {
    package let error: Reason

    /// - Parameters:
    ///   - candidates: the objects that an ambiguous name can mean.
    ///   - changed: the names of the members of an object that have changed, if the call was refused for this reason.
    package init(
        code: String, message: String, remedy: String, candidates: Candidates? = nil, changed: [String]? = nil
    ) {
        error = Reason(
            code: code, message: message, remedy: remedy, candidates: candidates?.listed,
            moreCandidates: candidates.flatMap { $0.more > 0 ? $0.more : nil }, changed: changed)
    }

    /// The texts of a refusal: the cause and the remedy.
    package typealias Words = (message: String, remedy: String)

    /// The texts for a body that cannot be decoded. Every engine uses them.
    package static let malformedBody: Words = (
        "The body does not have the form that this call expects.", "Compare it with docs/administration.md."
    )
    /// The texts for a name that no object can have. Every engine uses them.
    package static let malformedName: Words = (
        "A name is empty, contains a control character or is not percent-encoded.",
        "Give the name as the list command shows it."
    )
    /// The texts for a call that names no tenant while the server has none. Every engine uses them.
    package static let noTenants: Words = (
        "The server has no tenant.", "Add one: baton admin tenant add DOMAIN --name NAME."
    )

    /// The remedy for a caller of one tenant who has named another one. Such a caller cannot list the tenants.
    package static let foreignTenantRemedy =
        "Name your own tenant, by its id or its domain, or with -; another one needs a sign-in of its own."

    /// Returns the texts for a call that names no tenant while the server has several. Every engine uses them.
    ///
    /// - Parameter tenants: the tenants, named by their domains.
    package static func ambiguousTenant(_ tenants: Candidates) -> Words {
        let named = tenants.listed.map(\.name).joined(separator: ", ") + (tenants.more > 0 ? ", …" : "")
        return (
            "The server has several tenants\(named.isEmpty ? "" : ": \(named)").",
            "Name one of them: --tenant \(tenants.listed.first?.name ?? "DOMAIN")."
        )
    }

    /// The texts for an internal failure. Every engine uses them.
    package static let fault: Words = ("The server failed.", "Look into the server's log.")

    /// A stable code, the cause and the remedy.
    package struct Reason: Codable, Sendable {
        package let code: String
        package let message: String
        package let remedy: String
        /// If a name is ambiguous, objects that it can mean, at most ``AdminFailure/Candidates/limit``.
        package let candidates: [Candidate]?
        /// How many further objects the name can mean; nil if ``candidates`` are all of them.
        package let moreCandidates: Int?
        /// The names of the members that have changed since the caller read the object; nil for other refusals.
        package let changed: [String]?
    }
}
