// SPDX-License-Identifier: Apache-2.0
package import BrokerProtocol
internal import DeviceKeyStore
package import DeviceSettings
package import Files
internal import Glibc
internal import JSON

/// The files that only the supervisor reads and writes.
extension DeviceFiles {
    /// Whether a broker has used the folder for its device's state. False for a missing folder and for a folder with
    /// other content.
    ///
    /// - Throws: ``FileError`` if the folder cannot be listed.
    package func exist() throws(FileError) -> Bool {
        try !Set(root.names()).isDisjoint(with: [Name.format, Name.journal])
    }

    /// Creates the missing folders, and writes the format's number if it is missing.
    ///
    /// - Throws: ``UnknownStateFormat``, before anything is changed; ``DeviceStateDamaged``, ``FileError``.
    package func prepare() throws {
        try root.make(mode: 0o700)
        let format = try format()
        if let reason = QuarantineReason.format(format.number) { throw UnknownStateFormat(reason: reason) }
        for directory in [keys, session, trash] { try directory.make(mode: 0o700) }
        if !format.isWritten { try writeFormat() }
    }

    /// Writes the number of this version's format.
    func writeFormat() throws(FileError) {
        try root.file(Name.format).replace(with: Array("\(Self.currentFormat)\n".utf8))
    }

    /// The number of the format in which this version writes the device's state (docs/packaging.md).
    package static let currentFormat = 2

    /// Returns the number of the state's format: 1 for state without the file that contains the number, the current
    /// number for a folder without state.
    ///
    /// - Throws: ``DeviceStateDamaged`` if the file holds no valid number, ``FileError``.
    package func format() throws -> (number: Int, isWritten: Bool) {
        guard let bytes = try root.file(Name.format).read(limit: 64) else {
            return (try exist() ? 1 : Self.currentFormat, false)
        }
        let text = String(decoding: bytes, as: UTF8.self)
        guard text.hasSuffix("\n"), let number = Int(text.dropLast()), number > 0 else {
            throw DeviceStateDamaged(file: Name.format)
        }
        return (number, true)
    }

    /// Returns the journal's record; nil on a new device.
    ///
    /// - Throws: ``DeviceStateDamaged`` if the journal is malformed, or if it is missing on a device that had a
    ///   journal. In that case it is unknown who is signed in.
    package func journal() throws -> JournalRecord? {
        guard let bytes = try root.file(Name.journal).read(limit: JournalRecord.limits.bytes) else {
            guard try isNew else { throw DeviceStateDamaged(file: Name.journal) }
            return nil
        }
        guard let record = JournalRecord(bytes: bytes) else { throw DeviceStateDamaged(file: Name.journal) }
        return record
    }

    /// Whether the folder contains no data of a join or a session. A join and a session both create a journal first.
    private var isNew: Bool {
        get throws {
            let later = [
                Name.join, Name.tombstones, Name.endedSessions, Name.liveSession, Name.browserHolder, Name.locks,
                Name.sessionTimer, Name.confirmedJoin, Name.appProcesses,
            ]
            let isFree = try Set(later).isDisjoint(with: root.names())
            return try isFree && session.names().isEmpty
        }
    }

    package func write(_ record: JournalRecord) throws { try root.file(Name.journal).replace(with: record.bytes) }

    package func join() throws -> JoinRecord? { try read(JoinRecord.self, Name.join) }
    package func write(_ join: JoinRecord) throws { try write(join, Name.join) }

    package func tombstones() throws -> [AccountReader: [AccountTombstone]] {
        try read([AccountReader: [AccountTombstone]].self, Name.tombstones) ?? [:]
    }
    package func write(_ tombstones: [AccountReader: [AccountTombstone]]) throws {
        try write(tombstones, Name.tombstones)
    }

    package func endedSessions() throws -> [EndedSession] { try read([EndedSession].self, Name.endedSessions) ?? [] }
    package func write(_ sessions: [EndedSession]) throws { try write(sessions, Name.endedSessions) }

    /// The session whose end would have to be reported to the server if the device lost power now.
    package func liveSession() throws -> EndedSession? { try read(EndedSession.self, Name.liveSession) }
    package func write(live session: EndedSession) throws { try write(session, Name.liveSession) }
    package func removeLiveSession() throws { try root.file(Name.liveSession).remove() }

    /// The user whose agent opened the browser of the session that is live or being cleared.
    package func browserHolder() throws -> BrowserHolder? { try read(BrowserHolder.self, Name.browserHolder) }
    package func write(_ holder: BrowserHolder) throws { try write(holder, Name.browserHolder) }
    package func removeBrowserHolder() throws { try root.file(Name.browserHolder).remove() }

    /// The apps that have not erased their data of an ended epoch, each with that epoch.
    package func locks() throws -> [AppEraser: Epoch] { try read([AppEraser: Epoch].self, Name.locks) ?? [:] }
    package func write(locks: [AppEraser: Epoch]) throws { try write(locks, Name.locks) }

    /// Why the data of locked apps could not be taken away, by bundle id. A later version may know other codes.
    func lockReasons() throws -> [String: String] { try read([String: String].self, Name.lockReasons) ?? [:] }
    func write(lockReasons: [String: String]) throws {
        if lockReasons.isEmpty {
            try root.file(Name.lockReasons).remove()
        } else {
            try write(lockReasons, Name.lockReasons)
        }
    }

    /// When the session of the signed-in worker began.
    package func sessionTimer() throws -> SessionTimerRecord? { try read(SessionTimerRecord.self, Name.sessionTimer) }
    package func write(_ sessionTimer: SessionTimerRecord) throws { try write(sessionTimer, Name.sessionTimer) }
    package func removeSessionTimer() throws { try root.file(Name.sessionTimer).remove() }
}

extension DeviceFiles {
    /// Moves all files of a session out of the live path, and verifies that the live path is empty.
    ///
    /// The move is a rename, so its duration does not depend on the amount of data; ``emptyTrash()`` unlinks the files
    /// later.
    ///
    /// - Throws: ``FileError``, or ``LeftoverFound`` when the live path is not empty afterwards.
    package func clearSession(of ended: Epoch) throws {
        let target = trash.appending("\(ended.counter)-\(ended.id)")
        try trash.make(mode: 0o700)
        if try !session.names().isEmpty {
            try target.removeTree()
            guard unsafe rename(session.path, target.path) == 0 else {
                throw FileError(.rename, errno: errno, path: session.path)
            }
            try root.sync()
            try trash.sync()
        }
        try session.make(mode: 0o700)
        guard try session.names().isEmpty else { throw LeftoverFound() }
    }

    /// Unlinks the files of ended sessions in the trash.
    package func emptyTrash() throws {
        for name in try trash.names() { try trash.appending(name).removeTree() }
    }
}

/// A live path still holds files of an ended session.
package struct LeftoverFound: Error, Equatable {}

/// Another version of Baton wrote the device's state, in a format that this version cannot read.
package struct UnknownStateFormat: Error, Equatable, CustomStringConvertible {
    package let reason: QuarantineReason

    package var description: String { reason.message }
}
