// SPDX-License-Identifier: Apache-2.0
internal import BrokerProtocol
internal import DeviceSettings
internal import Logging
internal import SessionIPC
internal import Synchronization

/// Passes apps' sign-out requests on to the supervisor, and announces a sign-out to apps so that they can save their
/// work.
final class SignOutNotifier: Sendable {
    private struct State {
        /// Whether a sign-out was requested or announced.
        var isLeaving = false
        /// The epoch whose end was announced to the apps.
        var ending: Epoch?
        /// The connections that were notified of the end and are not ready yet.
        var unready: Set<ObjectIdentifier> = []
        /// The bundle ids of the apps with unsaved work, by connection.
        var unsaved: [ObjectIdentifier: String] = [:]
        /// The number of sign-out requests passed on to the supervisor, by process. The supervisor holds one connection
        /// for each of these requests.
        var requests: [AppProcess: Int] = [:]

        /// Returns whether one more sign-out request may be passed on, and counts the request if so. The counts never
        /// decrease while this process runs.
        mutating func admitsRequest(of process: AppProcess) -> Bool {
            guard requests[process, default: 0] < maximumRequestsOfProcess,
                requests.values.reduce(0, +) < maximumRequests
            else { return false }
            requests[process, default: 0] += 1
            return true
        }
    }

    private let session: CurrentSession
    private let access: AppAccess
    private let connections: AppConnections
    private let supervisor: SupervisorLink
    private let logger: Logger
    private let state = Mutex(State())

    private static let maximumRequestsOfProcess = 16
    private static let maximumRequests = 48

    init(
        session: CurrentSession, access: AppAccess, connections: AppConnections, supervisor: SupervisorLink,
        logger: Logger
    ) {
        (self.session, self.access, self.connections) = (session, access, connections)
        (self.supervisor, self.logger) = (supervisor, logger)
    }

    /// Whether a sign-out was requested or announced.
    var isLeaving: Bool { state.withLock(\.isLeaving) }

    // MARK: - Requests from apps

    /// Asks the supervisor to sign the worker out. The supervisor itself answers the app, on the connection that this
    /// process passes to the supervisor.
    func signOut(_ call: AppRequest) throws(BrokerError) -> AppAnswer {
        let wanted = try SignOutRequest(call.parameters)
        try access.app(wanted.client, in: call)
        guard session.worker != nil else { return .now(AppResponse()) }
        return try end(
            call, account: wanted.homeAccountID, fromBrowser: wanted.signoutFromBrowser,
            correlationID: wanted.client.correlationID)
    }

    /// Asks the supervisor to sign the worker out, for the browser's extension.
    func signOut(
        _ call: AppRequest, inBrowserAs account: String, correlationID: String?
    ) throws(BrokerError) -> AppAnswer {
        guard session.worker != nil else {
            return .now(AppResponse(type: .browserNativeMessage, entries: .emptyPayload))
        }
        return try end(call, account: account, fromBrowser: true, correlationID: correlationID, inBrowser: true)
    }

    private func end(
        _ call: AppRequest, account: String, fromBrowser: Bool, correlationID: String?, inBrowser: Bool = false
    ) throws(BrokerError) -> AppAnswer {
        logger.info(
            "an app signs the worker out", metadata: ["request.id": "\(correlationID ?? "-")"])
        guard session.worker?.account.homeAccountID == account.lowercased() else {
            throw BrokerError(
                .mismatchedAccount, "Another worker is signed in. Ask for the current account before you sign out.",
                reason: .otherAccount)
        }
        let isAdmitted = state.withLock { state in
            state.isLeaving = true
            return state.admitsRequest(of: call.app.peer.process)
        }
        guard isAdmitted else {
            throw BrokerError(
                .unfinished,
                "The sign-out has already been requested and continues. Do not sign out again; request the current "
                    + "account.")
        }
        supervisor.tell(
            .endWanted(
                requestID: call.request.id, fromBrowser: fromBrowser, correlationID: correlationID,
                inBrowser: inBrowser), descriptors: [call.app.descriptor])
        return .elsewhere
    }

    /// Records whether the app has unsaved work. The report stays valid until the app reports otherwise or disconnects.
    func noteUnsavedWork(_ call: AppRequest) throws(BrokerError) -> AppResponse {
        let report = try UnsavedWorkReport(call.parameters)
        let app = try access.app(report.client, in: call)
        guard session.worker != nil else {
            throw BrokerError(
                .interactionRequired,
                "Nobody is signed in, so there is nothing to save. Report unsaved work during a session.",
                reason: .nobody)
        }
        guard call.app.wantsEvents else {
            throw BrokerError(
                .developerParameter,
                "The app would not be told of the end. Ask for events in the hello of the connection.")
        }
        noteUnsaved(report.isUnsaved ? app.bundleID : nil, of: call.app)
        return AppResponse()
    }

    private func noteUnsaved(_ bundleID: String?, of app: AppConnection) {
        // The message is sent under the lock, so that an older list never follows a newer list.
        state.withLock { state in
            guard state.unsaved[ObjectIdentifier(app)] != bundleID else { return }
            state.unsaved[ObjectIdentifier(app)] = bundleID
            supervisor.tell(.unsavedWork(apps: Set(state.unsaved.values).sorted(), epoch: session.epoch))
        }
    }

    /// Accepts an app's report that the app needs no more time before the end; ``isReady(_:)`` records the report after
    /// the app is answered.
    func readyToEnd(_ call: AppRequest) throws(BrokerError) -> AppResponse {
        // A locked app must not delay the end either.
        _ = try access.registered(ClientRequest(call.parameters), in: call)
        return AppResponse()
    }

    /// Records that a connection needs no more time before the end, or has ended.
    func isReady(_ app: AppConnection) {
        noteUnsaved(nil, of: app)
        let ended: Epoch? = state.withLock { state in
            guard state.unready.remove(ObjectIdentifier(app)) != nil else { return nil }
            return state.unready.isEmpty ? state.ending : nil
        }
        if let ended { supervisor.tell(.appsReady(epoch: ended)) }
    }

    // MARK: - Messages from the supervisor

    /// Tells the apps that asked for events that the epoch is about to end.
    func announce(_ epoch: Epoch, milliseconds: Int) {
        let listeners = connections.listeners
        state.withLock { state in
            state.unready = Set(listeners.map(ObjectIdentifier.init))
            state.ending = epoch
            state.isLeaving = true
        }
        for app in listeners { app.tell(.willEnd(epoch, milliseconds: milliseconds)) }
        if listeners.isEmpty { supervisor.tell(.appsReady(epoch: epoch)) }
        // A connection that ended before it was recorded as unready will never report that it is ready.
        for app in listeners where !connections.contains(app) { isReady(app) }
    }

    /// Tells the apps that asked for events that an app is no longer locked. The event does not name the app.
    func tellOfUnlock() {
        let epoch = session.epoch
        for app in connections.listeners { app.tell(.unlocked(epoch)) }
        // The other apps learn this when their connections end.
        for app in connections.lockedOut { app.end() }
    }

    /// Warns the apps that asked for events that the session is idle.
    func warn(_ epoch: Epoch, seconds: Int) {
        for app in connections.listeners { app.tell(.idle(epoch, seconds: seconds)) }
    }
}
