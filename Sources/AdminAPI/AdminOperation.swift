// SPDX-License-Identifier: Apache-2.0

/// What is declared about an operation of administration, without the types of its body and its reply.
package struct AdminOperation: Sendable {
    /// The operation's name in camel case, such as `addUser`; unique among all operations.
    package let id: String
    package let method: Method
    /// The path as a template with placeholders, such as `/identity/tenants/{tenant}`.
    package let path: String
    package let query: [QueryParameter]
    /// The status of a successful answer.
    package let status: Int
    /// Who may call the operation through the network.
    ///
    /// The server has only the Unix socket, whose callers have full control, so nothing enforces this declaration yet.
    package let access: Access
    package let effect: Effect
    /// The codes of refusals, apart from those that follow from the path and the body.
    let specificErrors: [String]
    /// One sentence about what the operation does.
    package let summary: String
    /// Further sentences, in CommonMark.
    package let details: String?
    /// Returns the form of the JSON body; nil without a body.
    package let body: @Sendable () -> Schema?
    /// Returns what a successful answer contains.
    package let reply: @Sendable () -> Reply
    /// Whether a successful answer contains a secret, which nobody can ask for again.
    package let hasSecretReply: Bool

    /// What a successful answer contains.
    package enum Reply: Sendable, Equatable {
        case nothing
        case json(Schema)
        /// JSON lines that end with ``ExportEnd``.
        case export
        /// A JSON document whose form is defined elsewhere.
        case document
    }

    package enum Method: String, Sendable {
        case get = "GET"
        case post = "POST"
        case put = "PUT"
        case patch = "PATCH"
        case delete = "DELETE"
    }

    /// A method with the template of a path.
    package struct Route: Sendable {
        let method: Method
        let path: String

        package static func get(_ path: String) -> Route { Route(method: .get, path: path) }
        package static func post(_ path: String) -> Route { Route(method: .post, path: path) }
        package static func put(_ path: String) -> Route { Route(method: .put, path: path) }
        package static func patch(_ path: String) -> Route { Route(method: .patch, path: path) }
        package static func delete(_ path: String) -> Route { Route(method: .delete, path: path) }
    }

    /// Who may call an operation.
    package enum Access: Sendable, Equatable {
        /// Only callers on the server's own socket: the operation concerns the whole server.
        case serverOnly
        /// People with one of the roles, and applications with the permission.
        case directory(roles: [AdminRole], permission: String)

        /// Returns access for people with one of the roles, and for applications with the permission.
        package static func roles(_ first: AdminRole, _ others: AdminRole..., permission: String) -> Access {
            .directory(roles: [first] + others, permission: permission)
        }
    }

    /// Whether an operation changes something, and the actions that it writes into the audit log.
    package enum Effect: Sendable, Equatable {
        case reading
        /// A reading that the audit log records.
        case recordedReading(audit: String)
        /// A change. It records one or more of the actions, depending on what changed.
        ///
        /// A dangerous change cannot be undone, takes access away from many people at once, or gives power to an
        /// application.
        case change(audit: [String], isDangerous: Bool)

        /// Returns a change that records these actions.
        package static func change(_ first: String, _ others: String...) -> Effect {
            .change(audit: [first] + others, isDangerous: false)
        }

        /// Returns a dangerous change that records these actions.
        package static func danger(_ first: String, _ others: String...) -> Effect {
            .change(audit: [first] + others, isDangerous: true)
        }
    }

    package var isChange: Bool {
        if case .change = effect { true } else { false }
    }

    /// Whether a call may depend on the state of an object (`If-Match`): it changes an object that another operation
    /// returns.
    package var isConditional: Bool {
        guard [.put, .patch, .delete].contains(method), access != .serverOnly else { return false }
        return Self.all.contains { other in
            guard other.method == .get, other.path == path, case .json(.object) = other.reply() else { return false }
            return true
        }
    }

    package var isDangerous: Bool {
        if case .change(_, isDangerous: true) = effect { true } else { false }
    }

    /// The actions that the operation can write into the audit log.
    package var auditActions: [String] {
        switch effect {
        case .reading: []
        case .recordedReading(let action): [action]
        case .change(let actions, _): actions
        }
    }

    /// Every operation.
    package static let all: [AdminOperation] = IdentityAdmin.operations + MDMAdmin.operations

    /// The permission with which an application may call the operation; nil if only the server's own socket serves it.
    package var permission: String? {
        if case .directory(_, let permission) = access { permission } else { nil }
    }

    /// The permissions of all operations, in alphabetical order.
    package static let permissions: [String] = Set(all.compactMap(\.permission)).sorted()
}

/// A parameter in the query of an operation's URL.
package struct QueryParameter: Sendable {
    package enum Kind: String, Sendable { case string, integer, boolean }

    package let name: String
    package let kind: Kind
    package let isRequired: Bool
    package let meaning: String

    package init(_ name: String, _ kind: Kind, isRequired: Bool = false, meaning: String) {
        (self.name, self.kind, self.isRequired, self.meaning) = (name, kind, isRequired, meaning)
    }

    /// The parameters of a list that is returned in pages.
    package static let paging = [limit, after]
    package static let limit = QueryParameter(
        "limit", .integer, meaning: "The number of items on a page, 1 to 1000; by default 100.")
    package static let after = QueryParameter(
        "after", .string, meaning: "Where the page begins. The header field `Link` of the previous page contains it.")
    /// The person whose sessions a list contains.
    package static let user = QueryParameter(
        "user", .string, meaning: "The person whose sessions to list, by object id or user principal name.")
    /// Whether an upload may replace an item.
    package static let replace = QueryParameter(
        "replace", .boolean, meaning: "Whether to replace a profile that has the same identifier.")
    /// The number of lines of an audit log.
    package static let count = QueryParameter(
        "count", .integer, meaning: "The number of lines, 1 to 10000; by default 100.")
    /// The beginning of an export.
    package static let from = QueryParameter(
        "from", .integer, isRequired: true, meaning: "The beginning of the period, in milliseconds since 1970.")
    /// The end of an export.
    package static let to = QueryParameter(
        "to", .integer, isRequired: true,
        meaning: "The end of the period, which is excluded, in milliseconds since 1970.")
}

/// The directory roles that operations are declared for, by Entra's names.
///
/// The identity platform cannot assign Authentication Administrator and Reports Reader yet.
package enum AdminRole: String, Sendable, CaseIterable {
    case authenticationAdministrator = "Authentication Administrator"
    case cloudDeviceAdministrator = "Cloud Device Administrator"
    case globalAdministrator = "Global Administrator"
    case globalReader = "Global Reader"
    case helpdeskAdministrator = "Helpdesk Administrator"
    case intuneAdministrator = "Intune Administrator"
    case privilegedRoleAdministrator = "Privileged Role Administrator"
    case reportsReader = "Reports Reader"
    case userAdministrator = "User Administrator"
}
