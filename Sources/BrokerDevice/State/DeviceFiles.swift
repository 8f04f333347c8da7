// SPDX-License-Identifier: Apache-2.0
internal import BrokerProtocol
package import Files
internal import FoundationEssentials
internal import Glibc
internal import JSON

/// The folders of the device's state, and how its files are read and written.
///
/// The files that only the supervisor has are in its target (`DeviceFiles+Supervisor.swift`).
///
/// A missing file reads as nil. A file that cannot be read is an error, and the broker does not start.
package struct DeviceFiles: Sendable {
    package let root: Directory
    private let platform: (any TrustedPlatform)?

    /// - Parameter platform: the chip with the device's keys, where it has one and they are to be used.
    package init(root: Directory, platform: (any TrustedPlatform)? = nil) {
        (self.root, self.platform) = (root, platform)
    }

    package var keys: Directory { root.appending("keys") }
    /// The device's own keys, whether they are files or in its chip.
    package var keyStore: KeyStore { KeyStore(directory: keys, platform: platform) }
    /// Sealed files of the session that lives now.
    package var session: Directory { root.appending("session") }
    /// Where ended sessions' files wait to be unlinked.
    package var trash: Directory { root.appending("trash") }
    /// The chain of receipts, kept by design.
    package var receipts: Directory { root.appending("receipts") }
    package var management: Directory { root.appending("management") }
    /// Offline leases and the account of time, sealed; there is nothing in it where no policy gave a lease.
    package var offline: Directory { root.appending("offline") }

    /// A registration that the directory has confirmed and that is not in `join.json` yet. The session process writes it
    /// before it answers, so that a crash cannot leave a device in the directory that this one does not know.
    package func confirmedJoin() throws -> JoinRecord? { try read(JoinRecord.self, Name.confirmedJoin) }
    package func write(confirmed join: JoinRecord) throws { try write(join, Name.confirmedJoin) }
    package func removeConfirmedJoin() throws { try root.file(Name.confirmedJoin).remove() }

    /// The names of the files in the root folder.
    package enum Name {
        package static let format = "format"
        package static let journal = "journal"
        package static let join = "join.json"
        package static let confirmedJoin = "join-confirmed.json"
        package static let tombstones = "tombstones.json"
        package static let endedSessions = "ended-sessions.json"
        package static let liveSession = "live-session.json"
        package static let browserHolder = "browser-holder.json"
        package static let locks = "app-locks.json"
        package static let sessionTimer = "session-timer.json"
        package static let departure = "departure.json"
        package static let registration = "registration-status.json"
    }

    private static let limits = JSONLimits(bytes: 1 << 20, values: 64 << 10)

    /// Reads a JSON file of the root folder. Returns nil if the file is missing.
    ///
    /// - Throws: ``DeviceStateDamaged`` if it is malformed, ``FileError`` if it cannot be read.
    package func read<Value: Decodable>(_ type: Value.Type, _ name: String) throws -> Value? {
        guard let bytes = try root.file(name).read(limit: Self.limits.bytes) else { return nil }
        do { return try JSONReader.read(type, from: bytes, limits: Self.limits) } catch {
            throw DeviceStateDamaged(file: name)
        }
    }

    /// Writes a JSON file of the root folder. It is on disk when this returns.
    ///
    /// - Throws: ``FileError``, or the encoder's error.
    package func write(_ value: some Encodable, _ name: String) throws {
        try root.file(name).replace(with: Array(try JSONEncoder().encode(value)))
    }
}
