// SPDX-License-Identifier: Apache-2.0

/// An operation of administration together with the types of its body and its reply.
///
/// The declarations are static members of ``IdentityAdmin`` and ``MDMAdmin``; ``AdminOperation/all`` lists them. The
/// server's routes and the command line's calls are built from them.
package struct Endpoint<Body: Sendable, Reply: Sendable>: Sendable {
    package let operation: AdminOperation

    /// - Parameters:
    ///   - id: the name of the declaration.
    ///   - status: the status of success; by default 204 without a reply, else 200.
    ///   - givesPower: whether the operation can give somebody power over the administration, or take it away.
    ///   - errors: the codes of refusals, apart from those that follow from the path and the body.
    ///   - details: further sentences after the summary.
    package init(
        _ id: String, _ route: AdminOperation.Route, query: [QueryParameter] = [], status: Int? = nil,
        by access: AdminOperation.Access, effect: AdminOperation.Effect, givesPower: Bool = false,
        errors: [String] = [], summary: String, details: String? = nil
    ) {
        operation = AdminOperation(
            id: id, method: route.method, path: route.path, query: query,
            status: status ?? (Reply.self == Empty.self ? 204 : 200), access: access, effect: effect,
            givesPower: givesPower,
            specificErrors: errors, summary: summary, details: details, body: { Self.schema(of: Body.self) },
            reply: { Self.reply }, hasSecretReply: Reply.self is any SecretReply.Type)
    }

    private static var reply: AdminOperation.Reply {
        switch Reply.self {
        case is Empty.Type: .nothing
        case is Export.Type: .export
        default: schema(of: Reply.self).map(AdminOperation.Reply.json) ?? .document
        }
    }

    /// Returns the form of a type's JSON; nil for a type that stands for something else.
    private static func schema<Value>(of type: Value.Type) -> Schema? {
        (type as? any Decodable.Type).map { Schema(of: $0) }
    }
}

/// The body or the reply of an operation that has none.
package enum Empty: Sendable {}

/// The reply of an operation that returns an export: JSON lines that end with ``ExportEnd``.
package enum Export: Sendable {}

/// The reply of an operation that returns a JSON document whose form is defined elsewhere.
package enum Document: Sendable {}

/// A reply that contains a secret. It is never stored.
package protocol SecretReply {}
