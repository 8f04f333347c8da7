// SPDX-License-Identifier: Apache-2.0
internal import OAuth
internal import Redaction
internal import Storage

/// What was counted against one name, address, device or browser.
enum ThrottleCount: Table {
    static let table = "signInThrottle"
    enum Column: String, ColumnName { case tenant, kind, hash, drained, expires, nameHash }
}

/// Counts failed sign-ins in the database, so that a restart forgets nothing.
///
/// What vouches for a sign-in is counted apart, so that strangers who guess lock nobody out there: a joined device by itself
/// and by the person at it, a browser that signed the person in before by its cookie. All others count by login name and by
/// address. Names that nobody has count like all others. An address, or a device, where a person has signed in within the
/// last month has a count of its own for that name.
struct SignInThrottle: Sendable {
    let database: any Database
    let storageKey: StorageKey
    let environment: ClockAndRandomness

    private static let familiarity = Duration.seconds(30 * 86400)

    fileprivate enum Kind: String, ColumnValue {
        case name, address, familiar
        case device, nameAtDevice, familiarAtDevice
        case browser

        /// Whether such a row, as long as it is there, says that the person has signed in at that place.
        var isFamiliarity: Bool { self == .familiar || self == .familiarAtDevice }
        /// Whether the failures of a row are those of one person.
        var isOfPerson: Bool { self != .address && self != .device }
    }

    /// An attempt that counts as a failure already.
    struct Attempt: Sendable {
        let tenant: TenantID
        /// In lower case.
        fileprivate let name: String
        fileprivate let place: Place
        /// By what it was counted.
        fileprivate var counts: [(kind: Kind, rule: ThrottleRule)] = []

        /// Whether a joined device vouches for it.
        var isAtDevice: Bool {
            if case .device = place { true } else { false }
        }

        /// By whom the places of the hashing pool are shared out.
        var asker: String {
            switch place {
            case .address(let peer): peer.key
            case .device(let id): id.rawValue
            case .browser(let identifier): Base64URL.encode(identifier)
            }
        }
    }

    /// What an attempt is counted by, beside the name.
    fileprivate enum Place: Sendable {
        case address(PeerAddress)
        case device(DeviceID)
        /// By the random bytes of a device cookie.
        case browser([UInt8])
    }

    /// Lets an attempt through and counts it.
    ///
    /// - Throws: ``OAuthError`` `tooManyFailures`, ``StorageError``
    func admit(name: String, tenant: TenantID, from origin: SignInOrigin) async throws -> Attempt {
        // Who is locked out costs a look, not a write.
        try await database.read { [self] connection in
            _ = try counted(try attempt(name, tenant: tenant, from: origin, connection), connection)
        }
        return try await database.write { [self] connection in
            let attempt = try attempt(name, tenant: tenant, from: origin, connection)
            for (kind, drained) in try counted(attempt, connection) {
                try set(kind, of: attempt, drained: drained, connection)
            }
            return attempt
        }
    }

    /// Forgets this one attempt, whose password nobody looked at, or was right; whatever was counted beside it stays.
    ///
    /// - Throws: ``StorageError``
    func takeBack(_ attempt: Attempt) async throws {
        try await database.write { [self] connection in
            for (kind, rule) in attempt.counts { try refund(kind, by: rule, of: attempt, connection) }
        }
    }

    /// Forgives the failures of the name at that place and remembers the place as the person's; part of the sign-in's
    /// transaction. A cookie's other failures stay: a copy of it may be somebody else's.
    ///
    /// - Throws: ``StorageError``
    func succeeded(_ attempt: Attempt, at time: Timestamp, _ connection: any Connection) throws {
        switch attempt.place {
        case .address:
            try refund(.address, by: .address, of: attempt, connection)
            try forget(.name, of: attempt, connection)
            try set(.familiar, of: attempt, drained: time, connection)
        case .device:
            if attempt.counts.contains(where: { $0.kind == .device }) {
                try refund(.device, by: .device, of: attempt, connection)
            }
            try forget(.nameAtDevice, of: attempt, connection)
            try set(.familiarAtDevice, of: attempt, drained: time, connection)
        case .browser:
            try refund(.browser, by: .name, of: attempt, connection)
        }
    }

    /// Forgives every failure of a name, wherever it came from. Places where the person has signed in stay known; the count of an
    /// address or a device stays, since it is that of many names.
    ///
    /// - Throws: ``StorageError``
    func forgive(name: String, tenant: TenantID, _ connection: any Connection) throws {
        let now = environment.now()
        let hash = storageKey.derived("throttled \(Kind.name.rawValue)", Array(name.lowercased().utf8))
        try connection.execute(
            """
            UPDATE signInThrottle SET drained = \(now)
            WHERE tenant = \(tenant) AND nameHash = \(hash) AND drained > \(now)
                AND (kind = \(Kind.familiar) OR kind = \(Kind.familiarAtDevice))
            """)
        try connection.execute(
            """
            DELETE FROM signInThrottle
            WHERE tenant = \(tenant) AND nameHash = \(hash)
                AND kind <> \(Kind.familiar) AND kind <> \(Kind.familiarAtDevice)
            """)
        // One that was written before rows knew their names.
        try connection.execute(
            "DELETE FROM signInThrottle WHERE tenant = \(tenant) AND kind = \(Kind.name) AND hash = \(hash)")
    }

    /// Where an attempt comes from, as far as it is vouched for in this transaction.
    private func attempt(
        _ name: String, tenant: TenantID, from origin: SignInOrigin, _ connection: any Connection
    ) throws -> Attempt {
        func at(_ place: Place) throws -> Attempt {
            var attempt = Attempt(tenant: tenant, name: name.lowercased(), place: place)
            attempt.counts = try counts(of: attempt, connection)
            return attempt
        }
        if let id = try device(origin, tenant: tenant, connection),
            let device = try Devices(connection).find(id, tenant: tenant), device.isEnabled, device.binding.isShared
        {
            return try at(.device(id))
        }
        if let cookie = origin.deviceCookie, let person = try Users(connection).find(name: name, tenant: tenant),
            let identifier = cookie.identifier(of: person.id, tenant: tenant, at: environment.now(), key: storageKey)
        {
            return try at(.browser(identifier))
        }
        return try at(.address(origin.peer))
    }

    private func device(_ origin: SignInOrigin, tenant: TenantID, _ connection: any Connection) throws -> DeviceID? {
        if let device = origin.device { return device }
        guard let cookie = origin.session, cookie.tenant == tenant else { return nil }
        return try BrowserSessions(connection).session(cookie, at: environment.now())?.device?.id
    }

    /// What would be written for one more failure.
    private func counted(_ attempt: Attempt, _ connection: any Connection) throws -> [(Kind, Timestamp)] {
        let now = environment.now()
        return try attempt.counts.map { kind, rule in
            guard let next = rule.counting(try drained(kind, of: attempt, connection), at: now) else {
                throw OAuthError.tooManyFailures
            }
            return (kind, next)
        }
    }

    private func counts(
        of attempt: Attempt, _ connection: any Connection
    ) throws -> [(kind: Kind, rule: ThrottleRule)] {
        switch attempt.place {
        case .address:
            let isFamiliar = try drained(.familiar, of: attempt, connection) != nil
            return [(.address, .address), (isFamiliar ? .familiar : .name, .name)]
        case .device:
            // Whoever guesses at the device at invented names fills no count of those who work there.
            let isFamiliar = try drained(.familiarAtDevice, of: attempt, connection) != nil
            return isFamiliar ? [(.familiarAtDevice, .name)] : [(.device, .device), (.nameAtDevice, .name)]
        case .browser: return [(.browser, .name)]
        }
    }

    private func drained(_ kind: Kind, of attempt: Attempt, _ connection: any Connection) throws -> Timestamp? {
        try connection.value(
            .drained, of: ThrottleCount.self,
            """
            WHERE tenant = \(attempt.tenant) AND kind = \(kind) AND hash = \(hash(kind, attempt))
                AND expires > \(environment.now())
            """)
    }

    private func refund(
        _ kind: Kind, by rule: ThrottleRule, of attempt: Attempt, _ connection: any Connection
    ) throws {
        guard let drained = try drained(kind, of: attempt, connection) else { return }
        try set(kind, of: attempt, drained: drained - rule.interval, connection)
    }

    private func forget(_ kind: Kind, of attempt: Attempt, _ connection: any Connection) throws {
        try connection.execute(
            """
            DELETE FROM signInThrottle
            WHERE tenant = \(attempt.tenant) AND kind = \(kind) AND hash = \(hash(kind, attempt))
            """)
    }

    private func set(
        _ kind: Kind, of attempt: Attempt, drained: Timestamp, _ connection: any Connection
    ) throws {
        let expires = kind.isFamiliarity ? max(drained, environment.now() + Self.familiarity) : drained
        let person = kind.isOfPerson ? hash(.name, attempt) : nil
        try connection.upsert(
            into: ThrottleCount.self, key: [.tenant, .kind, .hash],
            [
                .tenant: attempt.tenant, .kind: kind, .hash: hash(kind, attempt), .drained: drained,
                .expires: expires, .nameHash: person,
            ])
    }

    /// Keyed, so that the table tells neither who signs in nor from where.
    private func hash(_ kind: Kind, _ attempt: Attempt) -> [UInt8] {
        let place = attempt.asker
        let text =
            switch kind {
            case .name: attempt.name
            case .address, .device, .browser: place
            case .familiar, .nameAtDevice, .familiarAtDevice: attempt.name + "\n" + place
            }
        return storageKey.derived("throttled \(kind.rawValue)", Array(text.utf8))
    }
}
