// SPDX-License-Identifier: Apache-2.0
internal import BrokerIPC
internal import DeviceSettings
internal import Logging

/// Owns the journal of the session's state on disk.
final class SessionJournal {
    private let join: JoinFlow
    private let serverSessions: ServerSessions
    /// Counts the sessions that the journal records.
    private let counter: DeviceCounter
    private let files: DeviceFiles
    private let logger: Logger

    init(
        files: DeviceFiles, join: JoinFlow, serverSessions: ServerSessions, counter: DeviceCounter, logger: Logger
    ) {
        (self.files, self.join, self.serverSessions) = (files, join, serverSessions)
        (self.counter, self.logger) = (counter, logger)
    }

    /// Reads the record that was written last; nil before the first.
    func read() throws -> JournalRecord? { try files.journal() }

    /// Writes the record. Before an end is committed, the session is added to those whose end must be reported to the
    /// server.
    func write(_ record: JournalRecord) throws {
        var metadata: Logger.Metadata = ["session.state": "\(record.stateName)"]
        if case .signingOut(let commit) = record {
            try serverSessions.end(commit.ended, isJoined: join.record != nil)
            Failpoint.endRemembered.reach()
            if let trigger = commit.trigger { metadata["session.trigger"] = "\(trigger.rawValue)" }
        }
        try files.write(record)
        counter.note(record)
        logger.info("session state changed", metadata: metadata)
    }
}
