// SPDX-License-Identifier: Apache-2.0
internal import Storage

/// The sessions of one transaction that have not ended, for whoever looks after them.
struct LiveSessions {
    private let connection: any Connection

    init(_ connection: any Connection) { self.connection = connection }

    /// The sessions that began last, of one person where `user` names one.
    ///
    /// - Throws: ``StorageError``
    func newest(_ count: Int, of user: UserID? = nil, tenant: TenantID) throws -> [Session] {
        let person: SQL = user.map { "AND person = \($0)" } ?? ""
        return try connection.records(
            Session.self,
            "WHERE tenant = \(tenant) AND ended IS NULL \(person) ORDER BY begun DESC, id LIMIT \(count)")
    }
}
