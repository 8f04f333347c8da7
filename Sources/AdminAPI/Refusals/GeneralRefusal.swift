// SPDX-License-Identifier: Apache-2.0

/// The interface through which an administrator calls operations.
package enum AdminInterface: Sendable {
    /// The Unix socket on the server's machine.
    case socket
    /// The HTTPS listener.
    case https
}

/// A refusal that does not depend on the engine that serves an operation.
package struct GeneralRefusal: Sendable {
    package let code: String
    package let status: Int
    /// The cause in one sentence, for documentation.
    package let cause: String
    /// Whether a call of an operation through an interface can be refused in this way.
    let applies: @Sendable (AdminOperation, AdminInterface) -> Bool

    private init(
        _ code: String, status: Int, _ cause: String,
        applies: @escaping @Sendable (AdminOperation, AdminInterface) -> Bool = { _, _ in true }
    ) {
        (self.code, self.status, self.cause, self.applies) = (code, status, cause, applies)
    }

    /// Every such refusal, in the order of the checks.
    package static let all: [GeneralRefusal] = interface + request + act

    /// The refusals of the HTTPS listener, before an operation reads anything of the request.
    private static let interface: [GeneralRefusal] = [
        GeneralRefusal("admin.host", status: 421, "The request is for another host or port.") { _, _ in false },
        GeneralRefusal("admin.origin", status: 403, "The request comes from a page of another site.") { $1 == .https },
        GeneralRefusal("admin.token", status: 401, "The access token is missing or not valid.") { $1 == .https },
        GeneralRefusal("admin.tooMany", status: 429, "The caller has called too often within a minute.") {
            $1 == .https
        },
        GeneralRefusal("admin.path", status: 404, "There is no operation at this path.") { _, _ in false },
        GeneralRefusal("admin.method", status: 405, "The path has no operation with this method.") { _, _ in false },
        GeneralRefusal(
            "admin.request", status: 400, "The request is malformed; the status can also be another one below 500."
        ) { _, _ in
            false
        },
        GeneralRefusal("admin.socketOnly", status: 403, "Only the server's own socket serves the operation.") {
            $1 == .https && $0.access == .serverOnly
        },
        GeneralRefusal("admin.permission", status: 403, "The access token does not have the operation's permission.") {
            $1 == .https && $0.permission != nil
        },
        GeneralRefusal("admin.role", status: 403, "The person has none of the operation's roles.") {
            $1 == .https && $0.permission != nil
        },
        GeneralRefusal(
            "admin.stepUp", status: 401,
            "The operation is dangerous, or concerns a person or an application with power, and the sign-in was too long ago."
        ) {
            $1 == .https && $0.permission != nil && ($0.isDangerous || $0.concernsPower)
        },
    ]

    /// The refusals of requests whose query, header fields, size or page an operation does not accept.
    private static let request: [GeneralRefusal] = [
        GeneralRefusal(
            "admin.query", status: 400,
            "The query has a parameter that the operation does not have, or one twice, or is not UTF-8."
        ) {
            $0.isServed(at: $1)
        },
        GeneralRefusal(
            "admin.condition", status: 400, "`If-Match` has no tag of this server, or the operation has no condition."
        ) {
            $0.isServed(at: $1)
        },
        GeneralRefusal("admin.tooLarge", status: 413, "The body is too large.") { $0.isServed(at: $1) },
        GeneralRefusal("admin.body", status: 400, "The request has a body other than `{}`, and the operation has none.")
        {
            $0.isServed(at: $1) && $0.body() == nil
        },
        GeneralRefusal("admin.idempotency.method", status: 400, "Only POST takes an `Idempotency-Key`.") {
            $0.isServed(at: $1) && $0.method != .post
        },
        GeneralRefusal("admin.idempotency.key", status: 400, "The `Idempotency-Key` is malformed.") {
            $0.isServed(at: $1) && $0.method == .post
        },
        GeneralRefusal("admin.page", status: 400, "The page does not exist, or its size is not 1 to 1000.") {
            $0.isServed(at: $1) && $0.isPaged
        },
    ]

    /// The refusals in the transaction of an act.
    private static let act: [GeneralRefusal] = [
        GeneralRefusal(
            "admin.privileged", status: 403,
            "Only a Global Administrator may act on a person who has a role, or on an application with power over the "
                + "administration, or give it this power. No application may change who controls the roles."
        ) {
            $1 == .https && $0.permission != nil && $0.concernsPower
        },
        GeneralRefusal("admin.changed", status: 412, "The object has changed since the caller read it.") {
            $0.isServed(at: $1) && $0.isConditional
        },
        GeneralRefusal("admin.idempotency.reused", status: 409, "The `Idempotency-Key` belongs to another request.") {
            $0.isServed(at: $1) && $0.method == .post
        },
        GeneralRefusal(
            "admin.idempotency.running", status: 409, "A request with the `Idempotency-Key` is being carried out."
        ) {
            $0.isServed(at: $1) && $0.method == .post
        },
        GeneralRefusal(
            "admin.idempotency.unfinished", status: 409,
            "The request has been carried out, but its answer is not known."
        ) {
            $0.isServed(at: $1) && $0.method == .post
        },
        GeneralRefusal(
            "admin.idempotency.secret", status: 409, "The request has been carried out; its answer contained a secret."
        ) {
            $0.isServed(at: $1) && $0.hasSecretReply
        },
        GeneralRefusal(
            "admin.idempotency.many", status: 429, "The caller has used 10,000 idempotency keys within an hour."
        ) {
            $0.isServed(at: $1) && $0.method == .post
        },
        GeneralRefusal(
            "server.database.unavailable", status: 503, "The server cannot use its database at this moment."),
    ]
}

extension AdminOperation {
    /// Whether an interface serves the operation at all.
    package func isServed(at interface: AdminInterface) -> Bool { interface == .socket || access != .serverOnly }

    /// Whether the operation returns a list in pages.
    package var isPaged: Bool { query.contains { $0.name == QueryParameter.after.name } }

    /// Whether the operation changes a person, or ends sessions of a person.
    private var isActOnPerson: Bool {
        isChange && (path.contains("/users/{user}") || path.contains("/sessions/{session}"))
    }

    /// Whether the operation can concern power over the administration: it gives it, takes it away, or acts on a person, who
    /// may have it.
    package var concernsPower: Bool { isActOnPerson || givesPower }

    /// Returns the codes with which an interface can refuse a call of the operation, in alphabetical order, by status.
    package func refusals(at interface: AdminInterface) -> [Int: [String]] {
        let general = GeneralRefusal.all.filter { $0.applies(self, interface) }.map { ($0.status, $0.code) }
        // Whoever may not call an operation learns nothing about what the operation would refuse.
        let specific = isServed(at: interface) ? errors : ["\(engine).fault"]
        return Dictionary(
            grouping: general + specific.map { (RefusalStatus.of($0), $0) }, by: \.0
        ).mapValues { $0.map(\.1).sorted() }
    }
}
