// SPDX-License-Identifier: Apache-2.0
package import BrokerDevice
internal import BrokerIPC
internal import DeviceEnrollment
internal import Files

/// Erases what a device gives up that leaves its directory or is reset; before anything is served from its state.
///
/// The order to do so goes last: whatever a crash leaves is erased by the next start.
package struct DepartureEraser: Sendable {
    private let files: DeviceFiles

    package init(files: DeviceFiles) { self.files = files }

    /// The registration goes first: without it nobody misses the keys.
    private static let ofJoin = [
        DeviceFiles.Name.join, DeviceFiles.Name.confirmedJoin, DeviceFiles.Name.registration,
        DeviceFiles.Name.endedSessions, DeviceFiles.Name.liveSession,
    ]
    /// What a reset keeps: the number of the epoch, which never comes back, the apps that still hold a worker's data, and
    /// the form of these files.
    private static let kept: Set<String> = [
        DeviceFiles.Name.journal, DeviceFiles.Name.locks, DeviceFiles.Name.format, DeviceFiles.Name.departure,
        "keys", "session", "trash",
    ]

    /// Whether there is something to erase. Blocks on the disk.
    package var isDue: Bool { get throws { try due?.stage == .erasing } }

    /// The order; nil also if it cannot be read, for which the device is quarantined.
    private var due: Departure? {
        get throws { do { return try files.departure() } catch is DeviceStateDamaged { return nil } }
    }

    /// Carries out the order that is on disk, if its erasure has begun; again after a crash it does what is left.
    ///
    /// - Returns: what was carried out; nil if there was nothing.
    /// - Throws: ``FileError``.
    @discardableResult
    package func run() throws -> Departure? {
        guard let departure = try due, departure.stage == .erasing else { return nil }
        for name in Self.ofJoin { try files.root.file(name).remove() }
        Failpoint.departureJoinErased.reach()
        for name in DeviceKeys.files { try files.keys.file(name).remove() }
        try files.offline.removeTree()
        if departure.kind == .reset { try reset() }
        for directory in [files.keys, files.root] { try directory.sync() }
        try files.removeDeparture()
        return departure
    }

    private func reset() throws {
        // The record says what is managed, so it goes before what it names.
        try files.root.file(ManagementStore.fileName).remove()
        try files.management.removeTree()
        Failpoint.departureManagementErased.reach()
        for name in try files.root.names() where !Self.kept.contains(name) {
            try files.root.appending(name).removeTree()
        }
        for name in try files.keys.names() { try files.keys.file(name).remove() }
        for folder in [files.session, files.trash] {
            for name in try folder.names() { try folder.appending(name).removeTree() }
        }
    }
}
