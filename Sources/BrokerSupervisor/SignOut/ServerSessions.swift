// SPDX-License-Identifier: Apache-2.0
internal import BrokerIPC
internal import BrokerProtocol
internal import DeviceSettings
internal import Logging

/// Owns the record of the sessions whose end must be reported to the server: the live session and those that have
/// ended. The record is on disk. It contains no secrets.
final class ServerSessions {
    /// The session that the server has opened for the worker who is signed in or signing in.
    private(set) var live: EndedSession?
    private(set) var ended: [EndedSession]
    private let files: DeviceFiles
    private let logger: Logger

    /// The maximum number of ends that wait for the server. Reporting the end of an epoch also ends all earlier
    /// sessions at the server, so if the oldest ends are dropped, only their lines in the server's audit log are lost.
    private static let maximumEnds = 256

    init(files: DeviceFiles, logger: Logger) throws {
        (self.files, self.logger) = (files, logger)
        ended = try files.endedSessions()
        live = try files.liveSession()
    }

    /// The server's id of the live session if that session belongs to this epoch; nil otherwise.
    func sessionID(in epoch: Epoch?) -> String? {
        guard let epoch, let live, live.epoch == epoch else { return nil }
        return live.serverSession
    }

    /// Stores the live session, after the server has opened it or after the details to report with its end have
    /// changed.
    func keep(live session: EndedSession) throws {
        try files.write(live: session)
        live = session
        Failpoint.sessionKnown.reach()
    }

    /// Records the end that must be reported, before the end of the epoch is committed.
    ///
    /// - Parameter isJoined: whether the device has a server. If so, the end of the epoch is reported in any case,
    ///   because the server may have opened a session whose id never reached this device.
    func end(_ epoch: Epoch, isJoined: Bool) throws {
        guard let live, live.epoch == epoch else {
            guard isJoined else { return }
            return try keep(end: EndedSession(serverSession: "", epoch: epoch, fromBrowser: false))
        }
        try keep(end: live)
        try files.removeLiveSession()
        self.live = nil
    }

    func keep(end session: EndedSession) throws {
        guard !ended.contains(session) else { return }
        ended.append(session)
        let surplus = ended.count - Self.maximumEnds
        if surplus > 0 {
            ended.removeFirst(surplus)
            logger.error(
                "the server has not been reached for a long time: the oldest ended sessions will not be reported")
        }
        try files.write(ended)
    }

    /// Records the details that will be reported to the server with the end of the live session.
    func noteEnd(fromBrowser: Bool, correlationID: String? = nil) throws {
        guard var live else { return }
        live.fromBrowser = live.fromBrowser || fromBrowser
        live.correlationID = correlationID ?? live.correlationID
        try keep(live: live)
    }

    /// Removes an end that the server has confirmed.
    func notified(of session: EndedSession) throws {
        ended.removeAll { $0 == session }
        try files.write(ended)
    }
}
