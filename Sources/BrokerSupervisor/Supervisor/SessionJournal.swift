// SPDX-License-Identifier: Apache-2.0
internal import BrokerDevice
internal import BrokerIPC
internal import BrokerProtocol
internal import Logging

/// The session's state on disk: the journal, the accounts that readers were told about, and the ended sessions that
/// must be reported to the server.
struct SessionJournal {
    var tombstones: TombstoneStore
    var serverSessions: ServerSessions
    /// Counts the sessions that the journal records.
    let counter: DeviceCounter
    private let files: DeviceFiles
    private let logger: Logger

    init(files: DeviceFiles, clock: SupervisorClock, logger: Logger) throws {
        (self.files, self.logger, counter) = (files, logger, DeviceCounter(clock: clock))
        tombstones = try TombstoneStore(files: files, now: clock.now)
        serverSessions = try ServerSessions(files: files, logger: logger)
    }

    /// Writes the record. Before an end is committed, the session is added to those whose end must be reported to the
    /// server.
    ///
    /// - Parameter isJoined: whether the device has a server.
    mutating func write(_ record: JournalRecord, isJoined: Bool) throws {
        var metadata: Logger.Metadata = ["session.state": "\(record.stateName)"]
        if case .signingOut(let commit) = record {
            try serverSessions.end(commit.ended, isJoined: isJoined)
            Failpoint.endRemembered.reach()
            if let trigger = commit.trigger { metadata["session.trigger"] = "\(trigger.rawValue)" }
        }
        try files.write(record)
        counter.note(record)
        logger.info("session state changed", metadata: metadata)
    }

    /// Records the details that will be reported to the server with the end of the live session.
    mutating func noteEnd(fromBrowser: Bool, correlationID: String? = nil) throws {
        guard var live = serverSessions.live else { return }
        live.fromBrowser = live.fromBrowser || fromBrowser
        live.correlationID = correlationID ?? live.correlationID
        try serverSessions.keep(live: live)
    }
}
