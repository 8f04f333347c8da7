// SPDX-License-Identifier: Apache-2.0
internal import DeviceSettings
internal import Files
internal import Glibc
internal import Logging
internal import Processes
internal import Synchronization
internal import UnixSocket

/// The sockets on which apps connect: one shared by all apps, and one for each app that has its own socket.
/// ``AppRecognition`` identifies the app that has connected.
final class AppListeners: Sendable {
    /// Begins to accept connections on the socket of one app.
    typealias Serving = @Sendable (Listener, _ bundleID: String) throws -> Void

    private struct State {
        var recognition: AppRecognition
        /// The sockets of single apps that this broker created.
        var own: [String: Listener] = [:]
        /// The function that starts to accept connections; nil until the broker serves.
        var serving: Serving?
    }

    private let state: Mutex<State>
    /// Root, the broker's user and the users of the session. Each of them runs more than one app.
    let sharedUsers: Set<UInt32>
    private let inherited: [String: Listener]
    private let folder: Directory
    /// The path of the shared socket if this broker created that socket and therefore decides who can connect to it.
    private let socketForAll: String?
    private let logger: Logger
    /// The connections that the session process has not taken yet.
    let waiting: WaitingConnections
    /// Records which apps have too many connections.
    let limits: LimitLog
    /// Tells which processes the connected agent started. These processes belong to the worker's browser.
    let browserOrigin = BrowserOrigin()

    init(
        configuration: SupervisorConfiguration, inheritedState: InheritedState, ownUser: UInt32,
        inputs: Mailbox<SupervisorInput>, now: @escaping @Sendable () -> Int, logger: Logger
    ) {
        waiting = WaitingConnections { inputs.post(.appsWaiting) }
        limits = LimitLog(now: now, logger: logger)
        sharedUsers = Set(configuration.sessionUsers).union([ownUser, 0])
        state = Mutex(State(recognition: AppRecognition(sessionUsers: sharedUsers)))
        inherited = inheritedState.apps
        folder = configuration.appSockets
        socketForAll =
            configuration.sessionUsers.isEmpty && !inheritedState.hands(.broker) ? configuration.brokerSocket : nil
        self.logger = logger
    }

    /// Identifies the app that connected to the shared socket; nil if the user may not connect.
    func identity(of peer: Peer) -> AppIdentity? { state.withLock { $0.recognition.identity(ofUser: peer.uid) } }

    /// Identifies the app that connected to its own socket; nil if the current registry does not give that app a
    /// socket.
    func identity(throughSocketOf bundleID: String) -> AppIdentity? {
        state.withLock { $0.recognition.identity(throughSocketOf: bundleID) }
    }

    /// Returns `.browser` for a program that the worker's browser started, and `identity` for any other program. The
    /// result is valid while the process that connected exists.
    func refined(_ identity: AppIdentity, _ peer: Peer) -> AppIdentity {
        identity == .session && browserOrigin.hasStarted(peer.pid, of: peer.uid) ? .browser : identity
    }

    /// Starts to accept connections.
    func open(_ serving: @escaping Serving) throws {
        for (bundleID, listener) in inherited { try serving(listener, bundleID) }
        let own = state.withLock { state in
            state.serving = serving
            return state.own
        }
        for (bundleID, listener) in own { try serving(listener, bundleID) }
    }

    /// Recognises apps by this registry from now on. With nil, only programs of the session are recognised.
    func follow(_ registry: AppRegistry?) {
        let apps = registry?.sockets ?? []
        let (gone, wanted) = state.withLock { state in
            state.recognition.follow(registry)
            let gone = state.own.filter { !apps.contains($0.key) }
            for bundleID in gone.keys { state.own[bundleID] = nil }
            return (gone, apps.subtracting(state.own.keys).subtracting(inherited.keys))
        }
        for listener in gone.values { listener.close() }
        for bundleID in wanted.sorted() { make(bundleID) }
        letIn(others: !(registry?.users ?? [:]).isEmpty)
    }

    func close() {
        let own = state.withLock { state in
            state.serving = nil
            return state.own
        }
        for listener in Array(own.values) + Array(inherited.values) { listener.close() }
    }

    /// Creates an app's own socket in a folder that only root and the broker's user can enter. A launcher then places
    /// the socket where only that app finds it.
    private func make(_ bundleID: String) {
        do {
            try folder.makePrivate()
            let listener = try Listener(path: folder.path + "/" + bundleID + ".sock", mode: 0o666)
            let serving = state.withLock { state in
                state.own[bundleID] = listener
                return state.serving
            }
            try serving?(listener, bundleID)
        } catch {
            logger.error("an app has no socket", metadata: ["app.id": "\(bundleID)", "error": "\(error)"])
        }
    }

    /// Sets whether users other than the broker's and root can connect to the shared socket. Who is served depends on
    /// the peer's identity, which the kernel reports, and not on the file's mode.
    private func letIn(others: Bool) {
        guard let socketForAll else { return }
        guard unsafe chmod(socketForAll, others ? 0o666 : 0o600) == 0 else {
            logger.error("the mode of the socket for apps cannot be changed", metadata: ["errno": "\(errno)"])
            return
        }
    }
}
