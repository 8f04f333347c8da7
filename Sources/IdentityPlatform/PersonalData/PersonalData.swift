// SPDX-License-Identifier: Apache-2.0
internal import JSON
internal import Storage

/// What the server stores about one person, as JSON objects. It contains no secrets and no hashes.
struct PersonalData {
    /// The objects from every table except the audit log.
    let objects: [JSONValue]
    /// The sessions that the server knows. Lines of the audit log about these sessions are also about the person.
    private let sessions: Set<String>
    private let user: User

    /// - Throws: ``StorageError``
    init(of user: User, counts: [Row], _ connection: any Connection) throws {
        self.user = user
        var objects: [JSONValue] = []
        for (kind, statement) in Self.statements(user) {
            objects += try connection.rows(statement).map { Self.object(kind, $0) }
        }
        self.objects = objects + counts.map { Self.object("failedSignIns", $0) }
        sessions = Set(
            try connection.values(
                .id, of: Session.self, "WHERE tenant = \(user.tenant) AND person = \(user.id)") as [String])
    }

    /// Returns the objects for those lines of an audit log that are about the person.
    func objects(in entries: [AuditEntry]) -> [JSONValue] {
        entries.filter { entry in
            entry.names(user.id.rawValue)
                || entry.subject?.split(separator: " ").contains { sessions.contains(String($0)) } == true
        }.map(\.object)
    }

    /// Returns a row as an object. Numbers in columns whose name begins with `is` are truth values.
    private static func object(_ kind: String, _ row: Row) -> JSONValue {
        var members: [String: JSONValue] = ["kind": .string(kind)]
        for (name, value) in row.columns {
            switch value {
            case .null, .blob: continue
            case .text(let text): members[name] = .string(text)
            case .integer(let number):
                members[name] = name.hasPrefix("is") ? .bool(number != 0) : .integer(Int(number))
            }
        }
        if kind == "role", let id = members["id"]?.string, let role = DirectoryRole.named(id) {
            members["displayName"] = .string(role.displayName)
        }
        return .object(members)
    }

    private static func statements(_ user: User) -> [(String, SQL)] {
        let (tenant, person) = (user.tenant, user.id)
        let ofSession: SQL = """
            JOIN session ON session.tenant = item.tenant AND session.id = item.session
            WHERE item.tenant = \(tenant) AND session.person = \(person)
            """
        return [
            (
                "person",
                """
                SELECT id, userPrincipalName, displayName, givenName, surname, mail, jobTitle, mobilePhone,
                    accountEnabled AS isEnabled, created AS createdAt
                FROM person WHERE tenant = \(tenant) AND id = \(person)
                """
            ),
            ("role", "SELECT role AS id FROM roleMember WHERE tenant = \(tenant) AND person = \(person) ORDER BY role"),
            (
                "group",
                """
                SELECT item.id AS id, item.displayName AS displayName FROM directoryGroup AS item
                JOIN groupMember ON groupMember.tenant = item.tenant AND groupMember.directoryGroup = item.id
                WHERE item.tenant = \(tenant) AND groupMember.person = \(person) ORDER BY item.id
                """
            ),
            (
                "device",
                """
                SELECT id, objectID, displayName, operatingSystem, operatingSystemVersion, trustType, profileType,
                    accountEnabled AS isEnabled, isManaged, managedAs, managedName, serialNumber,
                    registered AS registeredAt
                FROM device WHERE tenant = \(tenant) AND registeredOwner = \(person) ORDER BY registered
                """
            ),
            (
                "ownKey",
                """
                SELECT device, registered AS registeredAt FROM helloKey
                WHERE tenant = \(tenant) AND person = \(person) ORDER BY registered
                """
            ),
            ("deviceRegistrant", "SELECT act FROM deviceRegistrant WHERE tenant = \(tenant) AND person = \(person)"),
            (
                "session",
                """
                SELECT id, device, sharedDevice AS isSharedDevice, epochCounter, methods, begun AS begunAt,
                    ended AS endedAt, fromDeviceCode AS isFromDeviceCode
                FROM session WHERE tenant = \(tenant) AND person = \(person) ORDER BY begun
                """
            ),
            (
                "browserSession",
                "SELECT item.session AS session, item.expires AS expiresAt FROM browserSession AS item \(ofSession)"
            ),
            (
                "authorizationCode",
                """
                SELECT item.session AS session, item.client AS client, item.redirectURI AS redirectURI,
                    item.scope AS scope, item.expires AS expiresAt, item.redeemed AS redeemedAt
                FROM authorizationCode AS item \(ofSession)
                """
            ),
            (
                "deviceCode",
                """
                SELECT item.session AS session, item.client AS client, item.scope AS scope,
                    item.expires AS expiresAt, item.redeemed AS redeemedAt
                FROM deviceCode AS item \(ofSession)
                """
            ),
            (
                "refreshToken",
                """
                SELECT item.session AS session, item.client AS client, item.scope AS scope, item.issued AS issuedAt,
                    item.expires AS expiresAt, item.used AS usedAt, item.revoked AS revokedAt
                FROM refreshToken AS item \(ofSession) ORDER BY item.issued
                """
            ),
            (
                "primaryRefreshToken",
                """
                SELECT item.session AS session, item.device AS device, item.client AS client,
                    item.expires AS expiresAt, item.renewed AS renewedAt
                FROM primaryRefreshToken AS item \(ofSession) ORDER BY item.expires
                """
            ),
            (
                "deviceBrowser",
                """
                SELECT device, session, sharedDevice AS isSharedDevice, epochCounter, noted AS notedAt
                FROM deviceBrowser WHERE tenant = \(tenant) AND person = \(person) ORDER BY noted
                """
            ),
            (
                "offlineLease",
                """
                SELECT id, device, expires AS expiresAt FROM offlineLease
                WHERE tenant = \(tenant) AND person = \(person) ORDER BY expires
                """
            ),
            (
                "breakGlassGrant",
                """
                SELECT id, role, reason, grantedBy, begun AS begunAt, expires AS expiresAt, ended AS endedAt
                FROM breakGlass WHERE tenant = \(tenant) AND person = \(person) ORDER BY begun
                """
            ),
        ]
    }
}

extension AuditEntry {
    /// The entry as an object of an export.
    var object: JSONValue {
        let members: [String: JSONValue?] = [
            "kind": .string("auditEntry"), "position": .integer(Int(position)), "time": .integer(Int(time.rawValue)),
            "actor": .string(actor), "action": .string(action), "subject": subject.map(JSONValue.string),
            "outcome": .string(outcome), "repetitions": .integer(Int(repetitions)),
            "method": (method?.rawValue).map(JSONValue.string), "detail": detail.map(JSONValue.string),
            "correlation": correlation.map(JSONValue.string),
            "clientAddress": clientAddress.map(JSONValue.string),
            "interface": (interface?.rawValue).map(JSONValue.string),
        ]
        return .object(members.compactMapValues(\.self))
    }
}
