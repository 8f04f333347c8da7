// SPDX-License-Identifier: Apache-2.0
package import BrokerDevice
internal import BrokerIPC
package import Files
package import Logging
package import OAuth
internal import Redaction

/// The device's offline leases, each in a sealed file under a random name, and its account of time beside them.
///
/// One process has them at a time. Every call blocks on the disk; calls come one after the other, from one queue.
package struct LeaseStore: Sendable {
    private let directory: Directory
    private let seal: DeviceSeal
    private let now: @Sendable () throws -> OfflineMoment
    private let logger: Logger

    private static let timeName = "time"
    private static let limit = 64 << 10

    package init(
        directory: Directory, seal: DeviceSeal, now: @escaping @Sendable () throws -> OfflineMoment, logger: Logger
    ) {
        (self.directory, self.seal, self.now, self.logger) = (directory, seal, now, logger)
    }

    /// Whether a folder holds anything of offline sign-in, without opening it.
    package static func isEmpty(_ directory: Directory) throws -> Bool {
        try directory.names().isEmpty
    }

    // MARK: - Time

    /// Takes the present moment into the account and writes that down; leases that have ended, or cannot be believed, go.
    ///
    /// - Returns: the leases that hold, and whether anybody may begin with one.
    /// - Throws: ``FileError``, or what the machine's clock throws.
    @discardableResult
    package func look() throws -> (leases: [HeldLease], mayBegin: Bool) {
        guard let time = try advance(trusting: nil) else { return ([], true) }
        let leases = try held().filter { held in
            guard let end = LeaseRule.end(of: held.lease, since: held.record.since, by: time) else {
                guard held.isUsedUp else { return true }
                try erase(held.lease.id, because: "attempts")
                return false
            }
            try erase(held.lease.id, because: end.rawValue)
            return false
        }
        if leases.isEmpty { try eraseAll() } else { try removeDrafts() }
        return (leases, LeaseRule.mayBegin(by: time))
    }

    /// The account with this moment in it, on disk; nil where there is none, after which no lease is left.
    private func advance(trusting server: Int?) throws -> OfflineTime? {
        let moment = try now()
        var time: OfflineTime
        if let kept = try read(OfflineTime.self, Self.timeName) {
            time = kept
        } else {
            // Leases whose time nobody can tell are none.
            try eraseAll()
            guard server != nil else { return nil }
            time = OfflineTime(at: moment)
        }
        if let server { time.trust(server, at: moment) } else { time.note(moment) }
        try write(time, Self.timeName)
        return time
    }

    // MARK: - Leases

    /// The ids of all leases in hand.
    package func ids() throws -> [String] { try LeaseFile.ids(in: directory) }

    /// Follows the server's word: what is not good goes, a new lease takes the place of its worker's former one.
    ///
    /// - Parameters:
    ///   - asked: the leases that the question named; others have come since.
    ///   - key: the published key that the new lease names.
    /// - Throws: ``JOSEFailure`` for a lease that the key did not sign or that is not for this device; ``FileError``.
    package func follow(
        _ answer: OfflineAnswer, asked: [String], key: JSONWebKey?, device: String, tenant: String
    ) throws {
        try directory.make(mode: 0o700)
        for id in asked where !answer.good.contains(id) { try erase(id, because: "withdrawn") }
        if let token = answer.lease {
            guard let key else { throw JOSEFailure.unusableKey }
            guard let time = try advance(trusting: answer.time) else { return }
            let record = HeldLease.Record(
                token: token, key: String(decoding: key.encoded, as: UTF8.self), since: time.mark)
            try add(HeldLease(record), device: device, tenant: tenant)
        } else if try !ids().isEmpty {
            _ = try advance(trusting: answer.time)
        } else {
            try eraseAll()
        }
    }

    private func add(_ new: HeldLease, device: String, tenant: String) throws {
        guard new.isFor(device: device), new.lease.tenant.lowercased() == tenant.lowercased(), Self.isName(new.lease.id)
        else {
            throw JOSEFailure.malformed
        }
        let former = try held().filter { $0.lease.person.id == new.lease.person.id }
        // A PIN stays with the person at this device while one lease follows the other; not one at which somebody has
        // guessed wrong last: a new lease would give them all attempts anew.
        var new = new
        new.record.pin = former.filter { $0.isFor(device: device) && $0.record.attempts == 0 }.compactMap(\.record.pin)
            .first { $0.isAllowed(by: new.lease) }
        try keep(new)
        Failpoint.leaseKept.reach()
        for lease in former { try erase(lease.lease.id, because: "renewed") }
        let ids = try ids()
        guard ids.count > OfflineQuestion.maximumHeld else { return }
        for oldest in try held().sorted(by: { $0.lease.issued < $1.lease.issued })
            .prefix(ids.count - OfflineQuestion.maximumHeld)
        {
            try erase(oldest.lease.id, because: "too many")
        }
    }

    /// Keeps the worker's PIN in place of the one before.
    ///
    /// - Throws: ``FileError``, the library's error.
    package func setPIN(_ pin: OfflinePIN, of held: HeldLease) throws {
        var changed = held
        changed.record.pin = pin
        try keep(changed)
    }

    /// Every lease that can be read; one that cannot goes.
    package func held() throws -> [HeldLease] {
        try ids().compactMap { id in
            do {
                guard let record = try read(HeldLease.Record.self, LeaseFile.name(id)) else { return nil }
                let held = try HeldLease(record)
                guard held.lease.id == id else { throw DeviceStateDamaged(file: LeaseFile.name(id)) }
                return held
            } catch let error as FileError { throw error } catch {
                try erase(id, because: "damaged")
                return nil
            }
        }
    }

    /// Writes a lease again as it is, for the time that this takes.
    func rewrite(_ held: HeldLease) throws { try keep(held) }

    /// Writes a lease.
    func keep(_ held: HeldLease) throws { try write(held.record, LeaseFile.name(held.lease.id)) }

    /// Removes a lease, and logs why.
    func erase(_ id: String, because reason: String) throws {
        try directory.file(LeaseFile.name(id)).remove()
        Failpoint.leaseErased.reach()
        logger.info("an offline lease is gone", metadata: ["lease.end": "\(reason)"])
    }

    /// Removes everything of offline sign-in.
    package func eraseAll() throws {
        for name in try directory.names() { try directory.file(name).remove() }
    }

    /// Removes what a crash left of a write.
    private func removeDrafts() throws {
        for name in try directory.names() where name != Self.timeName && !LeaseFile.isName(name) {
            try directory.file(name).remove()
        }
    }

    /// A name of the server's that may be a file's.
    private static func isName(_ id: String) -> Bool {
        id.utf8.count == 36
            && id.utf8.allSatisfy { $0 == 0x2d || (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
    }

    // MARK: - Files

    /// What a sealed file holds; nil where there is none, or it does not open: then it is none of this device's.
    private func read<Value: Decodable>(_ type: Value.Type, _ name: String) throws -> Value? {
        guard let sealed = try directory.file(name).read(limit: Self.limit) else { return nil }
        do {
            var plain = try seal.open(sealed, as: "offline/" + name)
            defer { wipe(&plain) }
            return try JSONCodec.read(type, plain)
        } catch {
            logger.error("a file of offline sign-in does not open", metadata: ["error": "\(error)"])
            if name != Self.timeName { throw DeviceStateDamaged(file: "offline/" + name) }
            return nil
        }
    }

    private func write(_ value: some Encodable, _ name: String) throws {
        var plain = try JSONCodec.bytes(value)
        defer { wipe(&plain) }
        try directory.file(name).replace(with: try seal.seal(plain, as: "offline/" + name))
    }
}
