// SPDX-License-Identifier: Apache-2.0
internal import BrokerProtocol
package import DeviceKeyStore
package import Files
internal import Glibc
internal import JSON

/// The folders of the device's state, and how its files are read and written.
///
/// Files that only the supervisor uses are in the supervisor's target (`DeviceFiles+Supervisor.swift`).
///
/// A missing file reads as nil. If a file cannot be read, an error is thrown, and the broker does not start.
package struct DeviceFiles: Sendable {
    package let root: Directory
    private let platform: (any TrustedPlatform)?

    /// - Parameter platform: the TPM that keeps the device's keys; nil if the keys are files.
    package init(root: Directory, platform: (any TrustedPlatform)? = nil) {
        (self.root, self.platform) = (root, platform)
    }

    package var keys: Directory { root.appending("keys") }
    /// The device's own keys, in files or in its TPM.
    package var keyStore: KeyStore { KeyStore(directory: keys, platform: platform) }
    /// The sealed files of the live session.
    package var session: Directory { root.appending("session") }
    /// The files of ended sessions, until they are unlinked.
    package var trash: Directory { root.appending("trash") }
    /// The chain of receipts, which is kept by design.
    package var receipts: Directory { root.appending("receipts") }
    package var management: Directory { root.appending("management") }
    /// Sealed offline leases and the sealed record of time; empty if no policy has granted a lease.
    package var offline: Directory { root.appending("offline") }

    /// Returns a registration that the directory has confirmed and that is not in `join.json` yet. The session process
    /// writes this file before it answers, so that after a crash the directory has no registration that is missing on
    /// the device.
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
        package static let lockReasons = "app-lock-reasons.json"
        package static let appProcesses = "app-processes.json"
        package static let sessionTimer = "session-timer.json"
        package static let departure = "departure.json"
        package static let registration = "registration-status.json"
    }

    /// The limits allow for the longest file: the record of the apps' processes, if the maximum number of apps register
    /// and each registers as much as its limits allow.
    private static let limits = JSONLimits(bytes: 8 << 20, values: 512 << 10)

    /// Reads a JSON file of the root folder. Returns nil if the file is missing.
    ///
    /// - Throws: ``DeviceStateDamaged`` if the file is malformed, ``FileError`` if it cannot be read.
    package func read<Value: Decodable>(_ type: Value.Type, _ name: String) throws -> Value? {
        guard let bytes = try root.file(name).read(limit: Self.limits.bytes) else { return nil }
        do { return try JSONReader.read(type, from: bytes, limits: Self.limits) } catch {
            throw DeviceStateDamaged(file: name)
        }
    }

    /// Copies a file of the root folder as it is, even if it is malformed. Does nothing if the file is missing.
    ///
    /// - Throws: ``FileError``.
    package func copy(_ name: String, to folder: Directory) throws(FileError) {
        guard let bytes = try root.file(name).read(limit: Self.limits.bytes) else { return }
        try folder.file(name).replace(with: bytes)
    }

    /// Writes a JSON file of the root folder. It is on disk when this returns.
    ///
    /// - Throws: ``FileError``, or the encoder's error.
    package func write(_ value: some Encodable, _ name: String) throws {
        try root.file(name).replace(with: try JSONWriter.encode(value))
    }
}
