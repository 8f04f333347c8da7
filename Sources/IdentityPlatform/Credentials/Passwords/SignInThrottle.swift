// SPDX-License-Identifier: Apache-2.0
internal import OAuth
internal import Redaction
internal import Storage

/// A count of failures for one name, one place, or one name at one place.
enum ThrottleCount: Table {
    static let table = "signInThrottle"
    enum Column: String, ColumnName { case tenant, kind, hash, drained, expires, nameHash }
}

/// Counts failed sign-ins in the database, so that a restart does not reset them.
///
/// Attempts from trusted places are counted separately, so that guesses by strangers elsewhere do not lock anyone out
/// at a trusted place. At a joined shared device, attempts are counted per device and per name. In a browser where the
/// person has signed in before, they are counted per cookie. All other attempts are counted per login name and per
/// address. Unknown names are counted like known ones. If a person has signed in from an address, or at a device,
/// within the last 30 days, their name has a separate count for that address or device.
struct SignInThrottle: Sendable {
    let database: any Database
    let storageKey: StorageKey
    let environment: ClockAndRandomness

    private static let familiarity = Duration.seconds(30 * 86400)

    fileprivate enum Kind: String, ColumnValue {
        case name, address, familiar
        case device, nameAtDevice, familiarAtDevice
        case browser

        /// Whether an unexpired row of this kind shows that the person has signed in at the place that the row
        /// identifies.
        var isFamiliarity: Bool { self == .familiar || self == .familiarAtDevice }
        /// Whether a row of this kind counts the failures of one person.
        var isOfPerson: Bool { self != .address && self != .device }
    }

    /// An attempt that has already been counted as a failure.
    struct Attempt: Sendable {
        let tenant: TenantID
        /// The login name in lower case.
        fileprivate let name: String
        fileprivate let place: Place
        /// The counts that include this attempt.
        fileprivate var counts: [(kind: Kind, rule: ThrottleRule)] = []

        /// Whether the attempt comes from a joined shared device.
        var isAtDevice: Bool {
            if case .device = place { true } else { false }
        }

        /// The requester whose share of the ``HashingPool`` is limited: an address, a device or a browser.
        var asker: String {
            switch place {
            case .address(let peer): peer.key
            case .device(let id): id.rawValue
            case .browser(let identifier): Base64URL.encode(identifier)
            }
        }
    }

    /// Where an attempt comes from. Attempts are counted per place as well as per name.
    fileprivate enum Place: Sendable {
        case address(PeerAddress)
        case device(DeviceID)
        /// The random bytes of a device cookie.
        case browser([UInt8])
    }

    /// Admits an attempt and counts it.
    ///
    /// - Throws: ``OAuthError`` `tooManyFailures`, ``StorageError``
    func admit(name: String, tenant: TenantID, from origin: SignInOrigin) async throws -> Attempt {
        // A read is enough to refuse a requester who is locked out.
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

    /// Removes this attempt from the counts, because its password was not checked or was correct. Other failures stay
    /// counted.
    ///
    /// - Throws: ``StorageError``
    func takeBack(_ attempt: Attempt) async throws {
        try await database.write { [self] connection in
            for (kind, rule) in attempt.counts { try refund(kind, by: rule, of: attempt, connection) }
        }
    }

    /// Resets the failures of the name at the attempt's place, and records that the person has signed in there. Call
    /// this in the sign-in's transaction. If the attempt is counted per cookie, only this attempt is removed from the
    /// count; the other failures stay counted, because someone else may have a copy of the cookie.
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

    /// Resets all failures of a name at all places. The record of where the person has signed in is kept. The counts of
    /// addresses and devices are not reset, because they cover many names.
    ///
    /// - Returns: whether a failure still counted.
    /// - Throws: ``StorageError``
    func forgive(name: String, tenant: TenantID, _ connection: any Connection) throws -> Bool {
        let now = environment.now()
        let hash = hash(of: name)
        let counted = try connection.rows(
            """
            SELECT 1 AS counted FROM signInThrottle
            WHERE tenant = \(tenant) AND drained > \(now)
                AND (nameHash = \(hash) OR (kind = \(Kind.name) AND hash = \(hash)))
            LIMIT 1
            """)
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
        // Also deletes a row that was written before the `nameHash` column existed.
        try connection.execute(
            "DELETE FROM signInThrottle WHERE tenant = \(tenant) AND kind = \(Kind.name) AND hash = \(hash)")
        return !counted.isEmpty
    }

    /// Deletes everything that is counted or recorded for a name.
    ///
    /// - Throws: ``StorageError``
    func forget(name: String, tenant: TenantID, _ connection: any Connection) throws {
        try connection.execute("DELETE FROM signInThrottle WHERE tenant = \(tenant) AND nameHash = \(hash(of: name))")
        try connection.execute(
            "DELETE FROM signInThrottle WHERE tenant = \(tenant) AND kind = \(Kind.name) AND hash = \(hash(of: name))")
    }

    /// Returns what is counted or recorded for a name.
    ///
    /// - Throws: ``StorageError``
    func counts(name: String, tenant: TenantID, _ connection: any Connection) throws -> [Row] {
        try connection.rows(
            """
            SELECT kind AS place, drained AS countedUntilAt, expires AS expiresAt FROM signInThrottle
            WHERE tenant = \(tenant) AND nameHash = \(hash(of: name)) ORDER BY kind, expires
            """)
    }

    private func hash(of name: String) -> [UInt8] {
        storageKey.derived("throttled \(Kind.name.rawValue)", Array(name.lowercased().utf8))
    }

    /// Returns the attempt with its place. Ignores a device or a cookie in the origin that is not valid in this
    /// transaction.
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

    /// Returns the new value of each count after one more failure.
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
            // Guesses with invented names at a device do not affect the counts of the people who work there.
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

    /// Returns the hash that identifies a count. The hash is keyed, so that the table reveals neither names nor
    /// addresses.
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
