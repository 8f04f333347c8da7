// SPDX-License-Identifier: Apache-2.0
internal import BrokerDevice
internal import BrokerIPC
internal import BrokerProtocol
internal import Logging

/// The sessions that the server must hear the end of: the one that is live, and those that have ended; on disk, without any
/// secret.
struct ServerSessions {
    /// The session that the server has opened for the worker who is here, or is signing in.
    private(set) var live: EndedSession?
    private(set) var ended: [EndedSession]
    private let files: DeviceFiles
    private let logger: Logger

    /// How many ends wait for the server at most. The end of an epoch ends at the server whatever there was before it:
    /// of the oldest ones only the line in the server's audit log gets lost.
    private static let maximumEnds = 256

    init(files: DeviceFiles, logger: Logger) throws {
        (self.files, self.logger) = (files, logger)
        ended = try files.endedSessions()
        live = try files.liveSession()
    }

    /// The server's number of the session of this epoch.
    func number(in epoch: Epoch?) -> String? {
        guard let epoch, let live, live.epoch == epoch else { return nil }
        return live.serverSession
    }

    /// The server has opened a session, or what must be said of its end has changed.
    mutating func keep(live session: EndedSession) throws {
        try files.write(live: session)
        live = session
        Failpoint.sessionKnown.reach()
    }

    /// Writes down whom the server must hear of, before the end of the epoch is committed.
    ///
    /// - Parameter isJoined: whether there is a server that may have opened a session whose number never came here: its
    ///   epoch ends, whatever there is of it.
    mutating func end(_ epoch: Epoch, isJoined: Bool) throws {
        guard let live, live.epoch == epoch else {
            guard isJoined else { return }
            return try keep(end: EndedSession(serverSession: "", epoch: epoch, fromBrowser: false))
        }
        try keep(end: live)
        try files.removeLiveSession()
        self.live = nil
    }

    mutating func keep(end session: EndedSession) throws {
        guard !ended.contains(session) else { return }
        ended.append(session)
        let surplus = ended.count - Self.maximumEnds
        if surplus > 0 {
            ended.removeFirst(surplus)
            logger.error("the server has not been reached for long: the oldest ends of sessions are not told to it")
        }
        try files.write(ended)
    }

    /// The server knows of this end.
    mutating func heard(_ session: EndedSession) throws {
        ended.removeAll { $0 == session }
        try files.write(ended)
    }
}
