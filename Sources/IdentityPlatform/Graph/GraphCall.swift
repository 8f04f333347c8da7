// SPDX-License-Identifier: Apache-2.0
internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import JSON
internal import OAuth
internal import Storage

/// A Graph request whose token meets the route's requirements.
struct GraphCall: Sendable {
    let directory: GraphDirectory
    let request: Request
    let context: IdentityContext
    let token: AccessToken
    let access: GraphAccess

    var tenant: TenantID { token.tenant }

    /// Returns the value of a path placeholder.
    ///
    /// - Throws: ``GraphError``
    func place(_ name: String) throws(GraphError) -> String {
        guard let text = context.parameters.get(name)?.removingPercentEncoding else { throw .notFound }
        return text
    }

    /// Returns the object named in the path.
    ///
    /// - Throws: ``GraphError`` `notFound`, ``StorageError``.
    func find<Item>(_ kind: GraphKind<Item>, in place: String = "id") async throws -> Item {
        let key = GraphKey(try self.place(place))
        let item = try await directory.database.read { [tenant] in try kind.find(key, tenant, $0) }
        guard let item else { throw GraphError.notFound }
        return item
    }

    /// Reads the roles that the caller has now.
    var roles: @Sendable (any Connection) throws -> HeldRoles {
        { [token, environment = directory.environment] connection in
            try HeldRoles(of: token.user.id, tenant: token.tenant, at: environment.now(), connection)
        }
    }

    /// Returns the caller as the actor of an administrative act. The act's transaction checks again that the session is
    /// valid, that the application is enabled and that the person holds a required role.
    func actor(_ confirm: @escaping @Sendable (any Connection) throws -> Void = { _ in }) -> AdminActor {
        AdminActor(name: token.user.id.rawValue) { [token, access, roles] connection in
            try token.confirm(connection)
            try access.judge(try roles(connection))
            try confirm(connection)
        }
    }

    /// Returns the caller as the actor of a change to the object in the path. The transaction of the change also checks
    /// that the object still matches `If-Match` (RFC 9110 section 13.1.1).
    func actor<Item>(
        changing kind: GraphKind<Item>, in place: String = "id",
        _ confirm: @escaping @Sendable (any Connection) throws -> Void = { _ in }
    ) throws -> AdminActor {
        let key = GraphKey(try self.place(place))
        let condition = request.headers[.ifMatch].map(EntityTags.init)
        return actor { [tenant] connection in
            if let condition {
                guard let item = try kind.find(key, tenant, connection), condition.name(kind.entityTag(item)) else {
                    throw GraphError.changed
                }
            }
            try confirm(connection)
        }
    }

    /// Parses the JSON object in the body, which may contain only the named members.
    ///
    /// - Throws: ``GraphError``
    func body(allowing names: String...) async throws -> GraphBody {
        try await GraphBody(request, limit: context.maxUploadSize, allowing: names)
    }
}

/// The tags in `If-Match` or `If-None-Match`. `*` matches every tag.
struct EntityTags: Sendable {
    private let tags: [String]

    init(_ field: String) {
        tags = field.split(separator: ",").map { $0.trimming(while: { $0 == " " || $0 == "\t" }) }
    }

    func name(_ tag: String) -> Bool { tags.contains("*") || tags.contains(tag) }
}

extension Substring {
    fileprivate func trimming(while isBlank: (Character) -> Bool) -> String {
        let end = reversed().drop(while: isBlank).reversed()
        return String(end.drop(while: isBlank))
    }
}
