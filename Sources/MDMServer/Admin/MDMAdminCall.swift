// SPDX-License-Identifier: Apache-2.0
internal import AdminAPI
internal import AdminServer
internal import Storage

/// Adds the routes of device management's operations.
typealias MDMAdminRouter = OperationRouter<MDMAdminCall>

/// A call of an operation of device management, for an existing tenant.
struct MDMAdminCall: Sendable {
    let received: OperationCall
    let tenant: TenantID

    /// The maximum size of a body, in bytes. The largest body is a profile in Base64.
    static let maximumBody = 2 << 20

    /// Returns the name of an object in the path.
    ///
    /// - Throws: ``OperationRefusal``
    func name(_ place: String) throws -> ObjectName { try received.name(place) }

    /// Returns the value of a path placeholder, percent-decoded.
    ///
    /// - Throws: ``OperationRefusal``
    func place(_ name: String) throws -> String { try received.place(name) }

    /// Runs one act in a transaction. The caller's permission is checked while the transaction is open.
    ///
    /// - Parameters:
    ///   - item: returns what the operation that reads the changed object returns. The act is refused if the object is
    ///     not in the state that the caller knows.
    /// - Throws: ``OperationRefusal``, ``StorageError``, or the error of `body`.
    @discardableResult
    func act<T: Sendable>(
        on database: any Database, at now: Timestamp,
        changing item: @escaping @Sendable (any Connection) throws -> any Encodable,
        _ body: @escaping @Sendable (any Connection) throws -> T
    ) async throws -> T {
        try await database.write { [received] connection in
            try received.confirmApart(in: connection, at: now)
            try received.condition?.check(try item(connection))
            return try body(connection)
        }
    }

    /// Runs one act that changes no object that an operation returns; see ``act(on:at:changing:_:)``.
    ///
    /// - Throws: ``OperationRefusal``, ``StorageError``, or the error of `body`.
    @discardableResult
    func act<T: Sendable>(
        on database: any Database, at now: Timestamp, _ body: @escaping @Sendable (any Connection) throws -> T
    ) async throws -> T {
        try await act(on: database, at: now, changing: { _ in 0 }, body)
    }
}

extension ObjectName {
    /// - Throws: ``MDMAdminRefusal`` `malformed`
    init(given text: String?) throws {
        guard let name = text.flatMap(ObjectName.init) else {
            let (message, remedy) = AdminFailure.malformedName
            throw MDMAdminRefusal(.malformed, message, remedy: remedy)
        }
        self = name
    }
}
