// SPDX-License-Identifier: Apache-2.0
internal import BrokerDevice
internal import BrokerProtocol
internal import Synchronization

/// Finds the registered app that a request comes from, and refuses requests of locked apps.
final class AppAccess: Sendable {
    private let session: CurrentSession
    /// The ended epoch whose data a locked app has not erased, by bundle id.
    private let locks: Mutex<[String: Epoch]>

    init(session: CurrentSession, locks: [String: Epoch]) {
        self.session = session
        self.locks = Mutex(locks)
    }

    func update(_ locks: [String: Epoch]) { self.locks.withLock { $0 = locks } }

    /// The ended epoch that keeps an app locked; nil if the app is not locked.
    func lock(of bundleID: String) -> Epoch? { locks.withLock { $0[bundleID] } }

    /// Whether any app is locked because of that epoch.
    func holdsLock(of epoch: Epoch) -> Bool { locks.withLock { $0.values.contains(epoch) } }

    /// Returns the registered app, even if it is locked.
    ///
    /// - Throws: ``BrokerError`` if the device is not in shared mode, or the process may not use this client id.
    func registered(_ client: ClientRequest, in call: AppRequest) throws(BrokerError) -> RegisteredApp {
        try session.sharedDevice().app(client.clientID, for: call.identity)
    }

    /// Returns the registered app that a request comes from.
    ///
    /// - Throws: as ``registered(_:in:)``, and if the app has not erased the data of a former worker.
    @discardableResult
    func app(_ client: ClientRequest, in call: AppRequest) throws(BrokerError) -> RegisteredApp {
        let app = try registered(client, in: call)
        guard lock(of: app.bundleID) == nil else {
            throw BrokerError(
                .appLocked,
                "The app is locked until it has erased the data of a former worker. Ask for baton.epoch, erase the "
                    + "data, then acknowledge the ended epoch (baton.acknowledge) on a connection whose hello names "
                    + "that epoch.")
        }
        return app
    }

    /// Checks the app of a request for tokens; the app's redirect URI must be registered.
    @discardableResult
    func check(_ client: ClientRequest, redirectURI: String, in call: AppRequest) throws(BrokerError) -> RegisteredApp {
        let app = try app(client, in: call)
        guard app.redirectURIs.contains(redirectURI) else {
            throw BrokerError(
                .invalidRedirectURI, "The redirect URI is not the registered one. Use msauth.<bundle id>://auth.")
        }
        return app
    }
}
