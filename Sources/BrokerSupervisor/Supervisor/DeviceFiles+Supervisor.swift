// SPDX-License-Identifier: Apache-2.0
package import BrokerDevice
package import BrokerProtocol
package import Files
internal import Glibc
internal import JSON

/// The files that only the supervisor reads and writes.
extension DeviceFiles {
    /// Whether a broker has used the folder as its device's state. A missing folder and a folder of something else both
    /// count as no.
    ///
    /// - Throws: ``FileError`` if the folder cannot be listed.
    package func exist() throws(FileError) -> Bool {
        try !Set(root.names()).isDisjoint(with: [Name.format, Name.journal])
    }

    /// Makes the folders that are missing, and says in which form the files are written.
    ///
    /// - Throws: ``UnknownStateFormat``, before anything is touched; ``DeviceStateDamaged``, ``FileError``.
    package func prepare() throws {
        try root.make(mode: 0o700)
        let format = try format()
        if let reason = QuarantineReason.format(format.number) { throw UnknownStateFormat(reason: reason) }
        for directory in [keys, session, trash] { try directory.make(mode: 0o700) }
        if !format.isWritten { try writeFormat() }
    }

    /// Says that the state is written in this version's form.
    func writeFormat() throws(FileError) {
        try root.file(Name.format).replace(with: Array("\(Self.currentFormat)\n".utf8))
    }

    /// The form in which this version writes the device's state (docs/packaging.md).
    package static let currentFormat = 2

    /// The number of the state's form. State without the file has form 1, and a folder without state the present form.
    ///
    /// - Throws: ``DeviceStateDamaged`` where the file says no number, ``FileError``.
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

    /// What the journal says; nil on a device that is new.
    ///
    /// - Throws: ``DeviceStateDamaged``, also where there is none on a device that had one: nobody knows then who is there.
    package func journal() throws -> JournalRecord? {
        guard let bytes = try root.file(Name.journal).read(limit: JournalRecord.limits.bytes) else {
            guard try isNew else { throw DeviceStateDamaged(file: Name.journal) }
            return nil
        }
        guard let record = JournalRecord(bytes: bytes) else { throw DeviceStateDamaged(file: Name.journal) }
        return record
    }

    /// Whether nothing here comes from a join or a session, which begin with a journal.
    private var isNew: Bool {
        get throws {
            let later = [
                Name.join, Name.tombstones, Name.endedSessions, Name.liveSession, Name.browserHolder, Name.locks,
                Name.sessionTimer, Name.confirmedJoin,
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

    /// The session that the server would have to be told of if the device lost power now.
    package func liveSession() throws -> EndedSession? { try read(EndedSession.self, Name.liveSession) }
    package func write(live session: EndedSession) throws { try write(session, Name.liveSession) }
    package func removeLiveSession() throws { try root.file(Name.liveSession).remove() }

    /// Whose agent has the browser of the session that lives, or is being cleared away.
    package func browserHolder() throws -> BrowserHolder? { try read(BrowserHolder.self, Name.browserHolder) }
    package func write(_ holder: BrowserHolder) throws { try write(holder, Name.browserHolder) }
    package func removeBrowserHolder() throws { try root.file(Name.browserHolder).remove() }

    /// The apps that have not erased what is of an ended epoch, and which.
    package func locks() throws -> [String: Epoch] { try read([String: Epoch].self, Name.locks) ?? [:] }
    package func write(locks: [String: Epoch]) throws { try write(locks, Name.locks) }

    /// When the session of the worker who is here began.
    package func sessionTimer() throws -> SessionTimerRecord? { try read(SessionTimerRecord.self, Name.sessionTimer) }
    package func write(_ sessionTimer: SessionTimerRecord) throws { try write(sessionTimer, Name.sessionTimer) }
    package func removeSessionTimer() throws { try root.file(Name.sessionTimer).remove() }
}

extension DeviceFiles {
    /// Moves everything of a session out of the live paths, and reads back that nothing is left there.
    ///
    /// The move is a rename and takes no longer for two gigabytes than for two bytes; ``emptyTrash()`` unlinks later.
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

    /// Unlinks what ended sessions left in the trash.
    package func emptyTrash() throws {
        for name in try trash.names() { try trash.appending(name).removeTree() }
    }
}

/// A live path still holds something of an ended session.
package struct LeftoverFound: Error, Equatable {}

/// Another version of Baton wrote the device's state, in a form that this one does not read.
package struct UnknownStateFormat: Error, Equatable, CustomStringConvertible {
    package let reason: QuarantineReason

    package var description: String { reason.message }
}
