// SPDX-License-Identifier: Apache-2.0
internal import BrokerProtocol
internal import DeviceSettings
internal import Synchronization

/// Finds the registered app that a request comes from, and refuses requests of locked apps.
final class AppAccess: Sendable {
    private let session: CurrentSession
    private let locks: Mutex<Locks>

    private struct Locks {
        /// For each eraser of a locked app, the ended epoch whose data it must still erase.
        let epochs: [AppEraser: Epoch]
        /// The bundle ids of the locked apps.
        let apps: Set<String>

        init(_ epochs: [AppEraser: Epoch]) {
            self.epochs = epochs
            apps = Set(epochs.keys.map(\.bundleID))
        }
    }

    /// - Parameter locks: for each eraser of a locked app, the ended epoch whose data it must still erase.
    init(session: CurrentSession, locks: [AppEraser: Epoch]) {
        self.session = session
        self.locks = Mutex(Locks(locks))
    }

    /// Replaces the locks.
    ///
    /// - Returns: the bundle ids of the apps that are no longer locked.
    func update(_ locks: [AppEraser: Epoch]) -> Set<String> {
        self.locks.withLock { known in
            let former = known.apps
            known = Locks(locks)
            return former.subtracting(known.apps)
        }
    }

    private func isLocked(_ bundleID: String) -> Bool { locks.withLock { $0.apps.contains(bundleID) } }

    /// Returns the registered app, even if it is locked.
    ///
    /// - Throws: ``BrokerError`` if the device is not in shared mode, or the process may not use this client id.
    func registered(_ client: ClientRequest, in call: AppRequest) throws(BrokerError) -> RegisteredApp {
        try session.sharedDevice().app(client.clientID, for: call.identity)
    }

    /// Returns the registered app whose eraser a request is about. The app may erase a former worker's data and report
    /// this, even if the device is no longer in shared mode or the profile no longer permits the app.
    ///
    /// - Throws: ``BrokerError`` if the process may not use this client id.
    func owner(_ client: ClientRequest, in call: AppRequest) throws(BrokerError) -> RegisteredApp {
        try session.device.registered(client.clientID, for: call.identity)
    }

    /// Returns the registered app that a request comes from.
    ///
    /// - Throws: as ``registered(_:in:)``, and if the app has not erased the data of a former worker.
    @discardableResult
    func app(_ client: ClientRequest, in call: AppRequest) throws(BrokerError) -> RegisteredApp {
        let app = try registered(client, in: call)
        try checkUnlocked([app], call)
        return app
    }

    /// Checks a request that names no client: at least one of the apps that may have sent it must not be locked.
    ///
    /// - Throws: as ``app(_:in:)``.
    func checkAny(_ call: AppRequest) throws(BrokerError) {
        let device = try session.sharedDevice()
        try device.checkAnyApp(for: call.identity)
        try checkUnlocked(device.apps.filter { call.identity.mayAct(as: $0) }, call)
    }

    private func checkUnlocked(_ apps: [RegisteredApp], _ call: AppRequest) throws(BrokerError) {
        func areLocked() -> Bool { apps.allSatisfy { isLocked($0.bundleID) } }
        guard areLocked() else { return }
        call.app.lockOut()
        // Check again: if the app was unlocked before this connection was marked as locked out, nothing has notified
        // this connection.
        guard areLocked() else { return }
        throw BrokerError(
            .appLocked,
            "The app has not erased the data of a former worker and is locked until that data is gone. Start the app, "
                + "so that its eraser runs, and wait until it has. If it has none or stays locked, run on the device: "
                + "baton doctor. A client without Handover answers baton.epoch and baton.acknowledge.")
    }

    /// Checks the app of a request for tokens; the app's redirect URI must be registered.
    @discardableResult
    func check(_ client: ClientRequest, redirectURI: String, in call: AppRequest) throws(BrokerError) -> RegisteredApp {
        let app = try app(client, in: call)
        guard app.redirectURIs.contains(redirectURI) else {
            let registered = app.redirectURIs.map { String($0.prefix(200)) }.joined(separator: " or ")
            throw BrokerError(
                .invalidRedirectURI,
                "The redirect URI is not the registered one. "
                    + (registered.isEmpty ? "Register msauth.<bundle id>://auth." : "Use \(registered)."))
        }
        return app
    }
}
