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
    /// Who may call the operation over HTTPS. Callers on the server's socket may call every operation.
    package let access: Access
    package let effect: Effect
    /// Whether the operation can give somebody power over the administration, or take it away.
    package let givesPower: Bool
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
        /// Everybody, even without a token: the operation reveals nothing about the server's tenants.
        case anyone
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
        /// A dangerous change cannot be undone, takes access away from many people at once, or gives somebody power over
        /// the administration.
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
        Self.changing.contains(method) && access != .serverOnly && Self.objectPaths.contains(path)
    }

    /// Whether the operation returns one object that others change. Its answer has a tag (`ETag`).
    package var isObject: Bool { method == .get && Self.objectPaths.contains(path) }

    private static let changing: Set<Method> = [.put, .patch, .delete]

    /// The paths of objects that one operation returns and others change.
    private static let objectPaths: Set<String> = {
        let changed = Set(all.filter { changing.contains($0.method) }.map(\.path))
        let returned = all.filter { operation in
            guard operation.method == .get, changed.contains(operation.path) else { return false }
            if case .json(.object) = operation.reply() { return true }
            return false
        }
        return Set(returned.map(\.path))
    }()

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

    /// The permissions of which one is enough to call the operation. Whoever may change objects may also read them.
    package var sufficientPermissions: [String] {
        guard let permission else { return [] }
        let stronger = permission.replacing(".Read.", with: ".ReadWrite.")
        return stronger != permission && Self.permissions.contains(stronger) ? [permission, stronger] : [permission]
    }

    /// The permissions of all operations, in alphabetical order.
    package static let permissions: [String] = Set(all.compactMap(\.permission)).sorted()
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
