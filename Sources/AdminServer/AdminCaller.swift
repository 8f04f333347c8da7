// SPDX-License-Identifier: Apache-2.0
package import AdminAPI
package import Storage

/// Who calls operations of administration, through which interface, and what the caller may do.
///
/// The identity platform decides what a caller may do, and it decides twice: before anything else is read, and in the
/// transaction that acts, because a role may have been removed in between.
package struct AdminCaller: Sendable {
    package let interface: AuditInterface
    /// The caller's name in the audit log.
    package let name: String
    /// The caller in the words of the interface through which the call arrived, such as a Unix user; nil if ``name`` says it.
    package let origin: String?
    package let reach: Reach
    /// Whether the caller is an application that acts for itself, without a person.
    package let isApplication: Bool
    private let permission: any AdminPermission

    package init(
        interface: AuditInterface, name: String, origin: String? = nil, reach: Reach, isApplication: Bool = false,
        permission: any AdminPermission
    ) {
        (self.interface, self.name, self.origin) = (interface, name, origin)
        (self.reach, self.isApplication, self.permission) = (reach, isApplication, permission)
    }

    /// The tenants that a caller can name. For any other tenant, the caller learns nothing, not even whether it exists.
    package enum Reach: Sendable, Equatable {
        case noTenant
        case tenant(TenantID)
        case everyTenant
    }

    /// Checks that the caller may call the operation, before anything is read for the call. If the caller may do so only
    /// in an emergency, the use of this permission is recorded.
    ///
    /// - Throws: ``OperationRefusal``, ``StorageError``
    package func admit(to operation: AdminOperation) async throws { try await permission.admit(to: operation) }

    /// Checks again, in the transaction of an act in the identity platform's database.
    ///
    /// - Throws: ``OperationRefusal``, ``StorageError``
    package func confirm(_ operation: AdminOperation, in connection: any Connection) throws {
        try permission.confirm(operation, in: connection)
    }

    /// Checks again, while a transaction on another database is open. The check reads the identity platform's database
    /// and blocks the thread of the transaction until it has its answer.
    ///
    /// - Throws: ``OperationRefusal``, ``StorageError``
    package func confirmApart(_ operation: AdminOperation) throws { try permission.confirmApart(operation) }

    /// Whether the caller may act on people who have a role themselves, in this transaction of the identity platform's
    /// database. If the caller may do so only in an emergency, the use of this permission is recorded.
    ///
    /// - Throws: ``OperationRefusal``, ``StorageError``
    package func hasFullControl(for operation: AdminOperation, in connection: any Connection) throws -> Bool {
        try permission.hasFullControl(for: operation, in: connection)
    }

    /// Checks that the caller has proved its identity within the last minutes, as dangerous operations require.
    ///
    /// - Throws: ``OperationRefusal``
    package func confirmRecentSignIn() throws { try permission.confirmRecentSignIn() }

    /// Identifies the caller among the callers of all tenants. The name of an application does so only within its
    /// tenant, because another tenant can register an application with the same id.
    package var account: String {
        if case .tenant(let tenant) = reach { "\(tenant) \(name)" } else { name }
    }
}

extension AdminCaller {
    /// Returns the operator of the machine, who calls through the socket and may call every operation.
    ///
    /// - Parameter userID: the Unix user of the calling process, as the kernel reports it; nil in tests, where no process
    ///   calls.
    package static func localOperator(userID: UInt32?) -> AdminCaller {
        AdminCaller(
            interface: .socket, name: AuditLog.localOperator, origin: userID.map { "uid=\($0)" },
            reach: .everyTenant,
            permission: FullControl())
    }
}

/// What a caller may do.
package protocol AdminPermission: Sendable {
    /// See ``AdminCaller/admit(to:)``.
    func admit(to operation: AdminOperation) async throws
    /// See ``AdminCaller/confirm(_:in:)``.
    func confirm(_ operation: AdminOperation, in connection: any Connection) throws
    /// See ``AdminCaller/confirmApart(_:)``.
    func confirmApart(_ operation: AdminOperation) throws
    /// See ``AdminCaller/hasFullControl(for:in:)``.
    func hasFullControl(for operation: AdminOperation, in connection: any Connection) throws -> Bool
    /// See ``AdminCaller/confirmRecentSignIn()``.
    func confirmRecentSignIn() throws
}

/// The permission of the machine's operator.
private struct FullControl: AdminPermission {
    func admit(to operation: AdminOperation) async throws {}
    func confirm(_ operation: AdminOperation, in connection: any Connection) throws {}
    func confirmApart(_ operation: AdminOperation) throws {}
    func hasFullControl(for operation: AdminOperation, in connection: any Connection) throws -> Bool { true }
    func confirmRecentSignIn() throws {}
}
