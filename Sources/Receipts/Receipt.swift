// SPDX-License-Identifier: Apache-2.0
internal import JSON
package import OAuth

/// The broker's statement that one hand-over is complete: one line of a device's chain.
package struct Receipt: Sendable, Equatable {
    /// The line's position in the chain.
    package struct Place: Sendable, Equatable {
        /// The number of the line. It starts at 1 and increases by 1 with each line, even after a new join of the
        /// device.
        package let sequence: Int
        /// The hash of the previous line; nil for the first line of a chain.
        package let previous: String?
        /// Whether the lines before this one were found damaged on the device and were moved aside.
        package let followsDamage: Bool

        package init(sequence: Int, previous: String?, followsDamage: Bool = false) {
            self.sequence = sequence
            self.previous = previous
            self.followsDamage = followsDamage
        }
    }

    /// Times in seconds since 1970 by the device's clock.
    package struct Times: Sendable, Equatable {
        /// When the session began; nil if that is no longer known.
        package let began: Int?
        /// When the end was committed; nil if that is no longer known.
        package let committed: Int?
        /// When everything was done and the line was written.
        package let finished: Int

        package init(began: Int?, committed: Int?, finished: Int) {
            self.began = began
            self.committed = committed
            self.finished = finished
        }
    }

    /// What the receipt contains in addition to its items: findings about the entries of the list of leftovers
    /// (`docs/reference/leftovers.md`), and about the browsers before their end.
    package struct Remains: Sendable, Equatable {
        /// The entries that cover files of the session's user which were created or changed since the session began;
        /// sorted. ``Receipt/unexplained`` stands for files that no entry covers.
        package let left: Finding<[String]>
        /// The entries whose places nobody looked at; sorted. The receipt contains nothing else about these entries.
        /// Nil if these entries are unknown, because an earlier version of Baton wrote the line.
        package let unobserved: [String]?
        /// What the epoch's browsers held open although their windows did not need it, as far as the agent saw; sorted.
        package let opened: Finding<[String]>
        /// The time at which the device began to search for the folders in which the user may create files, in seconds
        /// since 1970; nil unless that was before the session. Nobody looked into folders that were created after that
        /// search.
        package let foldersAsOf: Int?

        package init(
            left: Finding<[String]> = .unknown, unobserved: [String]? = nil, opened: Finding<[String]> = .unknown,
            foldersAsOf: Int? = nil
        ) {
            (self.left, self.unobserved, self.opened) = (left, unobserved, opened)
            self.foldersAsOf = foldersAsOf
        }
    }

    package var place: Place
    /// The version of the line's format: 2, or 1 for lines of an earlier version of Baton.
    package let version: Int
    package let tenant: String
    package let device: String
    /// The thumbprint of the receipt key (RFC 7638).
    package let key: String
    /// The epoch that ended, `<counter>.<id>`.
    package let ended: String
    /// The epoch that began.
    package let next: String
    /// Why the session ended; nil if that is no longer known.
    package let trigger: String?
    /// True if what ended was only an attempt, so nobody had signed in: a failed sign-in, or an administrator's attempt
    /// to join the device.
    package let isAttempt: Bool
    /// Whether the worker had signed in with an offline lease, without the server.
    package let isOffline: Bool
    package let times: Times
    package let items: [ReceiptItem]
    /// The latest expiry of the access tokens that apps were given.
    package let accessTokensEndBy: Finding<Int>
    /// The worker of the session, as a ``Pseudonym``.
    package let subject: Finding<String>

    package let remains: Remains

    package static let unexplained = "unexplained"

    /// The format version that this code writes.
    package static let currentVersion = 2

    package init(
        place: Place, version: Int = currentVersion, tenant: String, device: String, key: String, ended: String,
        next: String, trigger: String?,
        isAttempt: Bool, isOffline: Bool = false, times: Times, items: [ReceiptItem], accessTokensEndBy: Finding<Int>,
        subject: Finding<String>, remains: Remains = Remains()
    ) {
        self.place = place
        self.version = version
        self.tenant = tenant
        self.device = device
        self.key = key
        self.ended = ended
        self.next = next
        self.trigger = trigger
        self.isAttempt = isAttempt
        self.isOffline = isOffline
        self.times = times
        self.items = items
        self.accessTokensEndBy = accessTokensEndBy
        self.subject = subject
        self.remains = remains
    }
}

extension Receipt {
    /// Returns the signed line.
    ///
    /// - Throws: the error of the cryptography library.
    package func signed(with key: SigningKey) throws -> SignedLine {
        var body = MembersWriter()
        body.set(ReceiptName.type, LineType.receipt)
        body.set(ReceiptName.version, version)
        body.set(ReceiptName.tenant, tenant)
        body.set(ReceiptName.device, device)
        body.set(ReceiptName.key, self.key)
        body.set(ReceiptName.sequence, place.sequence)
        body.set(ReceiptName.previous, place.previous)
        if place.followsDamage { body.set(ReceiptName.afterDamage, true) }
        body.set(ReceiptName.ended, ended)
        body.set(ReceiptName.next, next)
        body.set(ReceiptName.trigger, trigger)
        body.set(ReceiptName.attempt, isAttempt)
        if isOffline { body.set(ReceiptName.offline, true) }
        if let began = times.began { body.set(ReceiptName.began, began) }
        if let committed = times.committed { body.set(ReceiptName.committed, committed) }
        body.set(ReceiptName.finished, times.finished)
        body.set(ReceiptName.items, items.map(\.members))
        accessTokensEndBy.write(.accessTokensEndBy, to: &body)
        subject.write(.subject, to: &body)
        remains.left.write(.left, to: &body)
        remains.opened.write(.opened, to: &body)
        if let time = remains.foldersAsOf { body.set(ReceiptName.foldersAsOf, time) }
        if let unobserved = remains.unobserved { body.set(ReceiptName.unobserved, unobserved) }
        return try SignedLine(body, signedWith: key)
    }

    /// Reads a line. The caller must check its signature.
    ///
    /// - Throws: ``ReceiptFailure``, ``MembersFailure``.
    package init(_ line: SignedLine) throws {
        let version = try line.confirm(LineType.receipt, versions: 1...Self.currentVersion)
        let members = line.members
        guard let items = members[ReceiptName.items]?.array, let attempt = members[ReceiptName.attempt]?.bool else {
            throw ReceiptFailure.malformed
        }
        let sequence = try members.integer(ReceiptName.sequence)
        guard sequence >= 1 else { throw ReceiptFailure.malformed }
        self.init(
            place: Place(
                sequence: sequence, previous: try members.optionalString(ReceiptName.previous),
                followsDamage: members[ReceiptName.afterDamage]?.bool ?? false),
            version: version,
            tenant: try members.string(ReceiptName.tenant), device: try members.string(ReceiptName.device),
            key: try members.string(ReceiptName.key), ended: try members.string(ReceiptName.ended),
            next: try members.string(ReceiptName.next), trigger: try members.optionalString(ReceiptName.trigger),
            isAttempt: attempt, isOffline: members[ReceiptName.offline]?.bool ?? false,
            times: Times(
                began: members[ReceiptName.began]?.integer, committed: members[ReceiptName.committed]?.integer,
                finished: try members.integer(ReceiptName.finished)),
            items: try items.map { item in
                guard let members = item.object else { throw ReceiptFailure.malformed }
                return try ReceiptItem(Members(members), version: version)
            },
            accessTokensEndBy: try .read(.accessTokensEndBy, members), subject: try .read(.subject, members),
            remains: Remains(
                left: try .read(.left, members), unobserved: try Self.unobserved(members),
                opened: try .read(.opened, members), foldersAsOf: members[ReceiptName.foldersAsOf]?.integer))
    }

    private static let maximumUnobserved = 128

    private static func unobserved(_ members: Members) throws -> [String]? {
        guard let value = members[ReceiptName.unobserved] else { return nil }
        guard let values = value.array, values.count <= maximumUnobserved else { throw ReceiptFailure.malformed }
        return try values.map { value in
            guard let name = value.string else { throw ReceiptFailure.malformed }
            return name
        }
    }
}
