// SPDX-License-Identifier: Apache-2.0
internal import BrokerProtocol
internal import DeviceSettings
internal import Processes
internal import SessionIPC
internal import Synchronization

/// Tells the supervisor which apps with folders of data, and which of their processes, are given data of the worker.
///
/// The supervisor writes that to disk before the app gets its answer. If the app does not erase its data at the
/// sign-out, its processes are ended and its folders are taken away.
final class DataHolderReporter: Sendable {
    private struct Holder: Hashable {
        let app: String
        let process: ProcessTable.Name
        let epoch: Epoch
        /// Whether a worker is signed in, so that the app is given the worker's data.
        let isGiven: Bool
    }

    private let session: CurrentSession
    private let answers: SupervisorAnswers
    private let reported = Mutex<Set<Holder>>([])

    /// After this many reports, no further report is remembered and every request is reported. The list stays short,
    /// and no process is missed.
    private static let maximum = 1024

    init(session: CurrentSession, answers: SupervisorAnswers) { (self.session, self.answers) = (session, answers) }

    /// Reports the app of a request before the request is answered. Blocks until the report is on disk.
    ///
    /// - Throws: ``BrokerError`` if the epoch has ended, or if it is not known which process sent the request.
    func note(_ call: AppRequest) throws(BrokerError) {
        guard let holder = try holder(call) else { return }
        try finish(holder, isAccepted: try answers.isAccepted { Self.message(holder, $0) })
    }

    /// Reports the app of a request before the request is answered. Suspends instead of blocking, for callers in a
    /// task.
    func noteLater(_ call: AppRequest) async throws {
        guard let holder = try holder(call) else { return }
        try finish(holder, isAccepted: try await answers.accepts { Self.message(holder, $0) })
    }

    /// Returns the app of a request if the app must be reported. This is also done while nobody is signed in: the app
    /// may then belong to the session that is being cleared.
    ///
    /// - Throws: ``BrokerError`` if the process that connected is unknown, because it could not be ended with the
    ///   session.
    private func holder(_ call: AppRequest) throws(BrokerError) -> Holder? {
        let now = session.now
        guard let clientID = call.parameters[.clientID],
            let app = try? session.device.app(clientID, for: call.identity), !app.dataFolders.isEmpty
        else { return nil }
        let holder = Holder(
            app: app.bundleID, process: try call.process(), epoch: now.epoch, isGiven: now.worker != nil)
        return reported.withLock { $0.contains(holder) } ? nil : holder
    }

    private static func message(_ holder: Holder, _ requestID: UInt64) -> SessionProcessMessage {
        .dataHolderArrived(bundleID: holder.app, holder.process, epoch: holder.epoch, requestID: requestID)
    }

    private func finish(_ holder: Holder, isAccepted: Bool) throws(BrokerError) {
        guard isAccepted || !holder.isGiven else {
            throw BrokerError(
                .internal, "The session has ended, or too many apps with folders of data are in use. Ask again.")
        }
        reported.withLock { if $0.count < Self.maximum { $0.insert(holder) } }
    }
}
