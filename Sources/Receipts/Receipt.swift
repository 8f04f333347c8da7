// SPDX-License-Identifier: Apache-2.0
internal import JSON
package import OAuth

/// The broker's statement that one hand-over is done: one line of a device's chain.
package struct Receipt: Sendable, Equatable {
    /// Where the line stands in the chain.
    package struct Place: Sendable, Equatable {
        /// From 1, one more with each line, also over a new join of the device.
        package let sequence: Int
        /// The hash of the line before; nil for the first line of a chain.
        package let previous: String?
        /// Lines before this one were found damaged on the device and were moved aside.
        package let followsDamage: Bool

        package init(sequence: Int, previous: String?, followsDamage: Bool = false) {
            self.sequence = sequence
            self.previous = previous
            self.followsDamage = followsDamage
        }
    }

    /// Times in seconds since 1970 by the device's clock.
    package struct Times: Sendable, Equatable {
        /// When the person was let in; nil where that is not known any more.
        package let began: Int?
        /// When the end was committed; nil where that is not known any more.
        package let committed: Int?
        /// When everything was done and the line was written.
        package let finished: Int

        package init(began: Int?, committed: Int?, finished: Int) {
            self.began = began
            self.committed = committed
            self.finished = finished
        }
    }

    package var place: Place
    /// The form of the line: 2, or 1 where an earlier version of Baton wrote it.
    package let version: Int
    package let tenant: String
    package let device: String
    /// The thumbprint of the receipt key (RFC 7638).
    package let key: String
    /// The epoch that ended, `<counter>.<id>`.
    package let ended: String
    /// The epoch that began.
    package let next: String
    /// Why it ended; nil if that is not known any more.
    package let trigger: String?
    /// Nobody had signed in: a sign-in that came to nothing, or an administrator's visit.
    package let isAttempt: Bool
    /// The worker had signed in by an offline lease, without the server.
    package let isOffline: Bool
    package let times: Times
    package let items: [ReceiptItem]
    /// When the last access token that an app was given expires, at the latest.
    package let accessTokensEndBy: Finding<Int>
    /// Whose session it was, as a ``Pseudonym``.
    package let subject: Finding<String>

    /// The form in which this version writes.
    package static let currentVersion = 2

    package init(
        place: Place, version: Int = currentVersion, tenant: String, device: String, key: String, ended: String,
        next: String, trigger: String?,
        isAttempt: Bool, isOffline: Bool = false, times: Times, items: [ReceiptItem], accessTokensEndBy: Finding<Int>,
        subject: Finding<String>
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
    }
}

extension Receipt {
    /// The line, signed.
    ///
    /// - Throws: the library's error.
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
        return try SignedLine(body, signedWith: key)
    }

    /// Reads a line, whose signature is the caller's to check.
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
            accessTokensEndBy: try .read(.accessTokensEndBy, members), subject: try .read(.subject, members))
    }
}
