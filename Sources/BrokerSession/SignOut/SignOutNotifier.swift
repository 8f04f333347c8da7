// SPDX-License-Identifier: Apache-2.0
internal import BrokerDevice
internal import BrokerProtocol
internal import Logging
internal import Synchronization

/// Passes apps' sign-outs on to the supervisor, and tells apps of a sign-out before it comes, so that they can save.
final class SignOutNotifier: Sendable {
    private struct State {
        /// Whether a sign-out was asked for or announced.
        var isLeaving = false
        /// The epoch of whose end the apps were told.
        var ending: Epoch?
        /// The connections that were told of the end and have not said that they are ready.
        var unready: Set<ObjectIdentifier> = []
        /// The sign-outs that were passed on to the supervisor, which holds the connection of each, and by whom.
        var requests: [AppProcess: Int] = [:]

        /// Whether one more may be passed on; they end with this process.
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

    /// Whether a sign-out was asked for or announced.
    var isLeaving: Bool { state.withLock(\.isLeaving) }

    // MARK: - What apps ask

    /// Has the supervisor sign the worker out; it answers the app itself, on the connection that it is handed.
    func signOut(_ call: AppRequest) throws(BrokerError) -> AppAnswer {
        let wanted = try SignOutRequest(call.parameters)
        try access.app(wanted.client, in: call)
        guard let worker = session.worker else { return .now(AppResponse()) }
        logger.info(
            "an app signs the worker out",
            metadata: ["request.correlation": "\(wanted.client.correlationID ?? "-")"])
        guard worker.account.homeAccountID == wanted.homeAccountID.lowercased() else {
            throw BrokerError(
                .mismatchedAccount, "Another worker is signed in. Ask for the current account before you sign out.")
        }
        let isAdmitted = state.withLock { state in
            state.isLeaving = true
            return state.admitsRequest(of: call.app.peer.process)
        }
        guard isAdmitted else {
            throw BrokerError(
                .unfinished,
                "The sign-out is asked for already, and goes on. Do not sign out again; ask for the current account.")
        }
        supervisor.tell(
            .endWanted(
                requestID: call.request.id, fromBrowser: wanted.signoutFromBrowser,
                correlationID: wanted.client.correlationID), descriptors: [call.app.descriptor])
        return .elsewhere
    }

    /// The app needs no more time before the end; ``isReady(_:)`` takes note of it once the app is answered.
    func readyToEnd(_ call: AppRequest) throws(BrokerError) -> AppResponse {
        try access.app(ClientRequest(call.parameters), in: call)
        return AppResponse()
    }

    /// Notes that a connection needs no more time before the end, or has gone.
    func isReady(_ app: AppConnection) {
        let ended: Epoch? = state.withLock { state in
            guard state.unready.remove(ObjectIdentifier(app)) != nil else { return nil }
            return state.unready.isEmpty ? state.ending : nil
        }
        if let ended { supervisor.tell(.appsReady(epoch: ended)) }
    }

    // MARK: - What the supervisor says

    /// Tells the apps that asked for it that the epoch is about to end.
    func announce(_ epoch: Epoch, milliseconds: Int) {
        let listeners = connections.listeners
        state.withLock { state in
            state.unready = Set(listeners.map(ObjectIdentifier.init))
            state.ending = epoch
            state.isLeaving = true
        }
        for app in listeners { app.tell(.willEnd(epoch, milliseconds: milliseconds)) }
        if listeners.isEmpty { supervisor.tell(.appsReady(epoch: epoch)) }
        // One that went away before it was noted as unready has said nothing.
        for app in listeners where !connections.contains(app) { isReady(app) }
    }

    /// Tells the apps that asked for events that the person should do something.
    func warn(_ epoch: Epoch, seconds: Int) {
        for app in connections.listeners { app.tell(.idle(epoch, seconds: seconds)) }
    }
}
