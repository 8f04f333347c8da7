// SPDX-License-Identifier: Apache-2.0
internal import BrokerIPC
package import DeviceKeyStore
internal import DeviceSettings
package import Files
package import Logging
package import OAuth
internal import Redaction

/// The device's offline leases, each in a sealed file with a random name, and the device's record of time.
///
/// Only one process may use the store at a time, and only from one serial queue. Every call blocks on disk I/O.
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

    /// Whether a folder for offline sign-in is empty. Does not open any file in the folder.
    package static func isEmpty(_ directory: Directory) throws -> Bool {
        try directory.names().isEmpty
    }

    /// The valid leases at one moment.
    package struct Found: Sendable {
        package let leases: [HeldLease]
        /// The record of time; nil if the device has no such record, and therefore no lease.
        let time: OfflineTime?

        /// Whether anyone may sign in with one of the leases.
        package var mayBegin: Bool { time.map(LeaseRule.mayBegin(by:)) ?? true }

        /// Returns the seconds until this lease ends, if the device stays powered on and its clock is not set; nil if
        /// the lease is not among the valid leases.
        package func remaining(of lease: String) -> Int? {
            guard let time, let held = leases.first(where: { $0.lease.id == lease }) else { return nil }
            return LeaseRule.remaining(of: held.lease, since: held.record.since, by: time)
        }
    }

    // MARK: - Time

    /// Adds the current moment to the record of time on disk, and erases leases that have ended or cannot be verified.
    ///
    /// - Throws: ``FileError``, or the error of the machine's clock.
    @discardableResult
    package func look() throws -> Found {
        guard let time = try advance(trusting: nil) else { return Found(leases: [], time: nil) }
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
        return Found(leases: leases, time: time)
    }

    /// Adds this moment to the record of time on disk, and returns the record. If there is no record, erases all
    /// leases. It then begins a new record if the server's time is given, and otherwise returns nil.
    private func advance(trusting server: Int?) throws -> OfflineTime? {
        let moment = try now()
        var time: OfflineTime
        if let kept = try read(OfflineTime.self, Self.timeName) {
            time = kept
        } else {
            // Without a recorded time, no lease can be checked for expiry.
            try eraseAll()
            guard server != nil else { return nil }
            time = OfflineTime(at: moment)
        }
        if let server { time.trust(server, at: moment) } else { time.note(moment) }
        try write(time, Self.timeName)
        return time
    }

    // MARK: - Leases

    /// The ids of all stored leases.
    package func ids() throws -> [String] { try LeaseFile.ids(in: directory) }

    /// Applies the server's answer: erases leases that are no longer valid, and stores a new lease in place of the
    /// worker's former lease.
    ///
    /// - Parameters:
    ///   - asked: the ids of the leases that the request listed. Leases that were added since then are not affected.
    ///   - key: the published key that the new lease names.
    /// - Throws: ``JOSEFailure`` for a lease that this key did not sign or that is for another device; ``FileError``.
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
        // A renewed lease keeps the worker's PIN only if no attempt has been counted since the last correct attempt.
        // Otherwise the renewal would reset the number of wrong guesses at this PIN.
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

    /// Stores the worker's PIN in place of the previous PIN.
    ///
    /// - Throws: ``FileError``, or an error of the cryptography library.
    package func setPIN(_ pin: OfflinePIN, of held: HeldLease) throws {
        var changed = held
        changed.record.pin = pin
        try keep(changed)
    }

    /// Returns every readable lease, and erases the others.
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

    /// Rewrites a lease unchanged. This takes as long as counting an attempt.
    func rewrite(_ held: HeldLease) throws { try keep(held) }

    /// Writes a lease.
    func keep(_ held: HeldLease) throws { try write(held.record, LeaseFile.name(held.lease.id)) }

    /// Removes a lease, and logs why.
    func erase(_ id: String, because reason: String) throws {
        try directory.file(LeaseFile.name(id)).remove()
        Failpoint.leaseErased.reach()
        logger.info("an offline lease is gone", metadata: ["lease.end": "\(reason)"])
    }

    /// Removes all files of offline sign-in.
    package func eraseAll() throws {
        for name in try directory.names() { try directory.file(name).remove() }
    }

    /// Removes the remains of writes that a crash interrupted.
    private func removeDrafts() throws {
        for name in try directory.names() where name != Self.timeName && !LeaseFile.isName(name) {
            try directory.file(name).remove()
        }
    }

    /// Whether an id from the server may be used as a file name.
    private static func isName(_ id: String) -> Bool {
        id.utf8.count == 36
            && id.utf8.allSatisfy { $0 == 0x2d || (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
    }

    // MARK: - Files

    /// Returns the content of a sealed file; nil if the file is missing, or if it is the record of time and cannot be
    /// decrypted.
    ///
    /// - Throws: ``DeviceStateDamaged`` if a lease cannot be decrypted, ``FileError``.
    private func read<Value: Decodable>(_ type: Value.Type, _ name: String) throws -> Value? {
        guard let sealed = try directory.file(name).read(limit: Self.limit) else { return nil }
        do {
            var plain = try seal.open(sealed, as: "offline/" + name)
            defer { wipe(&plain) }
            return try JSONCodec.read(type, plain)
        } catch {
            logger.error("a file of offline sign-in cannot be opened", metadata: ["error": "\(error)"])
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
