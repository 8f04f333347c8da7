// SPDX-License-Identifier: Apache-2.0
internal import BrokerIPC
internal import DeviceKeyStore
package import DeviceSettings
internal import Files
internal import MDMClient

/// Erases the state that a device gives up when it leaves its directory or is reset. Runs before the device serves
/// anyone.
///
/// The order itself is removed last, so that the next start erases whatever a crash left behind.
package struct DepartureEraser: Sendable {
    private let files: DeviceFiles

    package init(files: DeviceFiles) { self.files = files }

    /// The files of the join. They are removed before the keys, so that a crash never leaves a registration without
    /// keys.
    private static let ofJoin = [
        DeviceFiles.Name.join, DeviceFiles.Name.confirmedJoin, DeviceFiles.Name.registration,
        DeviceFiles.Name.endedSessions, DeviceFiles.Name.liveSession,
    ]
    /// The entries that a reset does not remove with the others. A reset keeps the journal (an epoch's number is never
    /// reused), the locks of apps that still hold a worker's data, the record of the processes that must erase that
    /// data, and the number of the state's format. The order itself is removed last, and the folders are emptied
    /// separately.
    private static let kept: Set<String> = [
        DeviceFiles.Name.journal, DeviceFiles.Name.locks, DeviceFiles.Name.appProcesses, DeviceFiles.Name.format,
        DeviceFiles.Name.departure,
        "keys", "session", "trash",
    ]

    /// Whether there is state to erase. Blocks on the disk.
    package var isDue: Bool { get throws { try due?.stage == .erasing } }

    /// The order on disk; nil if there is none, or if it is damaged and the device is therefore quarantined.
    private var due: Departure? {
        get throws { do { return try files.departure() } catch is DeviceStateDamaged { return nil } }
    }

    /// Carries out the order on disk if its erasure has begun. After a crash, a second call erases what is left.
    ///
    /// - Returns: the order that was carried out; nil if there was none.
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
        // The record lists the managed items. Remove it first, so that it never lists an item that is already gone.
        try files.root.file(MDMStore.fileName).remove()
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
