// SPDX-License-Identifier: Apache-2.0
package import Storage

/// The people of one transaction.
package struct Users {
    private let connection: any Connection

    package init(_ connection: any Connection) { self.connection = connection }

    package func find(_ id: UserID, tenant: TenantID) throws -> User? {
        try connection.row(
            """
            SELECT tenant, id, userPrincipalName, displayName, givenName, surname, mail, jobTitle, mobilePhone,
                accountEnabled
            FROM person WHERE tenant = \(tenant) AND id = \(id)
            """
        ).map(Self.user)
    }

    /// Finds a person by user principal name, in either case.
    package func find(name: String, tenant: TenantID) throws -> User? {
        try connection.row(
            """
            SELECT tenant, id, userPrincipalName, displayName, givenName, surname, mail, jobTitle, mobilePhone,
                accountEnabled
            FROM person WHERE tenant = \(tenant) AND loginName = \(name.lowercased())
            """
        ).map(Self.user)
    }

    /// The people of an organisation, by name.
    package func all(tenant: TenantID) throws -> [User] {
        try connection.rows(
            """
            SELECT tenant, id, userPrincipalName, displayName, givenName, surname, mail, jobTitle, mobilePhone,
                accountEnabled
            FROM person WHERE tenant = \(tenant) ORDER BY loginName
            """
        ).map(Self.user)
    }

    func add(_ user: User, password: PasswordHash, at time: Timestamp) throws {
        let profile = user.profile
        try connection.execute(
            """
            INSERT INTO person (tenant, id, loginName, userPrincipalName, displayName, givenName, surname, mail, jobTitle,
                mobilePhone, accountEnabled, passwordHash, created)
            VALUES (\(user.tenant), \(user.id), \(user.userPrincipalName.lowercased()), \(user.userPrincipalName),
                \(profile.displayName), \(profile.givenName), \(profile.surname), \(profile.mail), \(profile.jobTitle),
                \(profile.mobilePhone), \(user.isEnabled), \(password), \(time))
            """)
    }

    func remove(_ id: UserID, tenant: TenantID) throws {
        try connection.execute("DELETE FROM person WHERE tenant = \(tenant) AND id = \(id)")
    }

    func setPassword(_ password: PasswordHash, of id: UserID, tenant: TenantID) throws {
        try connection.execute(
            "UPDATE person SET passwordHash = \(password) WHERE tenant = \(tenant) AND id = \(id)")
    }

    func password(of id: UserID, tenant: TenantID) throws -> PasswordHash? {
        try connection.row("SELECT passwordHash FROM person WHERE tenant = \(tenant) AND id = \(id)")?.value(0)
    }

    /// The password hash of the person whose id comes at or after `place`, or of the first one; nil without people.
    func password(near place: ID<User>, tenant: TenantID) throws -> PasswordHash? {
        let after = try connection.row(
            "SELECT passwordHash FROM person WHERE tenant = \(tenant) AND id >= \(place) ORDER BY id LIMIT 1")
        let row =
            try after
            ?? connection.row("SELECT passwordHash FROM person WHERE tenant = \(tenant) ORDER BY id LIMIT 1")
        return try row?.value(0)
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

    /// Lets a person sign in, or forbids it.
    func setEnabled(_ isEnabled: Bool, _ id: UserID, tenant: TenantID) throws {
        try connection.execute(
            "UPDATE person SET accountEnabled = \(isEnabled) WHERE tenant = \(tenant) AND id = \(id)")
    }

    private static func user(_ row: Row) throws -> User {
        User(
            tenant: try row.value(0), id: try row.value(1), userPrincipalName: try row.text(2),
            profile: User.Profile(
                displayName: try row.text(3), givenName: try row.optionalText(4), surname: try row.optionalText(5),
                mail: try row.optionalText(6), jobTitle: try row.optionalText(7),
                mobilePhone: try row.optionalText(8)),
            isEnabled: try row.flag(9))
    }
}
