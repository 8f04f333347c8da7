// SPDX-License-Identifier: Apache-2.0
internal import AdminServer
package import Storage

extension User: Record {
    package static let table = "person"
    package static let unread: Set<Column> = [.loginName, .passwordHash, .created]

    package enum Column: String, ColumnName {
        case tenant, id, loginName, userPrincipalName, displayName, givenName, surname, mail, jobTitle, mobilePhone,
            accountEnabled, passwordHash, created
    }

    package init(_ row: TableRow<User>) throws {
        self.init(
            tenant: try row[.tenant], id: try row[.id], userPrincipalName: try row[.userPrincipalName],
            profile: Profile(
                displayName: try row[.displayName], givenName: try row[.givenName], surname: try row[.surname],
                mail: try row[.mail], jobTitle: try row[.jobTitle], mobilePhone: try row[.mobilePhone]),
            isEnabled: try row[.accountEnabled])
    }
}

/// Access to the directory's people in one transaction.
package struct Users {
    let connection: any Connection

    package init(_ connection: any Connection) { self.connection = connection }

    package func find(_ id: UserID, tenant: TenantID) throws -> User? {
        try connection.record(User.self, "WHERE tenant = \(tenant) AND id = \(id)")
    }

    /// Returns the person who has this user principal name, ignoring case.
    package func find(name: String, tenant: TenantID) throws -> User? {
        try connection.record(User.self, "WHERE tenant = \(tenant) AND loginName = \(name.lowercased())")
    }

    /// Returns the people of an organisation, sorted by name.
    package func all(tenant: TenantID) throws -> [User] {
        try connection.records(User.self, "WHERE tenant = \(tenant) ORDER BY loginName")
    }

    /// Returns a page of the people, in the order of their user principal names, and one person more if there is another
    /// page.
    ///
    /// - Throws: ``StorageError``
    func all(tenant: TenantID, on page: PageRequest) throws -> [User] {
        let later: SQL = page.after.map { "AND loginName > \($0)" } ?? ""
        return try connection.records(
            User.self,
            """
            WHERE tenant = \(tenant) \(page.filter(by: User.Column.loginName)) \(later)
            ORDER BY loginName LIMIT \(page.limit + 1)
            """)
    }

    func add(_ user: User, password: PasswordHash, at time: Timestamp) throws {
        let profile = user.profile
        try connection.insert(
            into: User.self,
            [
                .tenant: user.tenant, .id: user.id, .loginName: user.userPrincipalName.lowercased(),
                .userPrincipalName: user.userPrincipalName, .displayName: profile.displayName,
                .givenName: profile.givenName, .surname: profile.surname, .mail: profile.mail,
                .jobTitle: profile.jobTitle, .mobilePhone: profile.mobilePhone, .accountEnabled: user.isEnabled,
                .passwordHash: password, .created: time,
            ])
    }

    func remove(_ id: UserID, tenant: TenantID) throws {
        try connection.execute("DELETE FROM person WHERE tenant = \(tenant) AND id = \(id)")
    }

    func setPassword(_ password: PasswordHash, of id: UserID, tenant: TenantID) throws {
        try connection.execute(
            "UPDATE person SET passwordHash = \(password) WHERE tenant = \(tenant) AND id = \(id)")
    }

    func password(of id: UserID, tenant: TenantID) throws -> PasswordHash? {
        try connection.value(.passwordHash, of: User.self, "WHERE tenant = \(tenant) AND id = \(id)")
    }

    /// Returns the password hash of the first person whose id is `place` or greater. If there is no such person,
    /// returns the hash of the person with the lowest id; nil if there are no people.
    func password(near place: ID<User>, tenant: TenantID) throws -> PasswordHash? {
        try connection.value(
            .passwordHash, of: User.self, "WHERE tenant = \(tenant) AND id >= \(place) ORDER BY id LIMIT 1")
            ?? connection.value(.passwordHash, of: User.self, "WHERE tenant = \(tenant) ORDER BY id LIMIT 1")
    }

    func setProfile(_ profile: User.Profile, of id: UserID, tenant: TenantID) throws {
        try connection.execute(
            """
            UPDATE person SET displayName = \(profile.displayName), givenName = \(profile.givenName),
                surname = \(profile.surname), mail = \(profile.mail), jobTitle = \(profile.jobTitle),
                mobilePhone = \(profile.mobilePhone)
            WHERE tenant = \(tenant) AND id = \(id)
            """)
    }

    /// Enables or disables a person.
    ///
    /// - Returns: whether this has changed anything.
    func setEnabled(_ isEnabled: Bool, _ id: UserID, tenant: TenantID) throws -> Bool {
        try connection.execute(
            """
            UPDATE person SET accountEnabled = \(isEnabled)
            WHERE tenant = \(tenant) AND id = \(id) AND accountEnabled <> \(isEnabled)
            """) == 1
    }
}
