// SPDX-License-Identifier: Apache-2.0
package import BrokerDevice
package import BrokerProtocol
package import Logging

/// The locks of apps that have not erased their data of an ended epoch. A locked app is refused until it has erased the
/// data. Every change is on disk before anything depends on it.
package struct AppLocks {
    /// For each locked app, by bundle id, the epoch whose data the app still has.
    package private(set) var epochs: [String: Epoch]
    private let files: DeviceFiles
    private let logger: Logger

    package init(files: DeviceFiles, logger: Logger) throws {
        (self.files, self.logger) = (files, logger)
        epochs = try files.locks()
    }

    package func isLocked(_ app: String) -> Bool { epochs[app] != nil }

    /// Locks apps until they have erased their data of this epoch.
    package mutating func lock(_ apps: [String], until ended: Epoch) throws {
        var changed = epochs
        for app in apps { changed[app] = ended }
        try store(changed)
        logger.error(
            "apps are locked: they have not erased their data", metadata: ["apps": "\(apps.joined(separator: " "))"])
    }

    /// Unlocks an app that has erased its data of this epoch.
    ///
    /// - Returns: whether the app was locked for that epoch.
    package mutating func unlock(_ app: String, erased ended: Epoch) throws -> Bool {
        guard epochs[app] == ended else { return false }
        var changed = epochs
        changed[app] = nil
        try store(changed)
        logger.info("an app has erased its data and is no longer locked", metadata: ["app": "\(app)"])
        return true
    }

    private mutating func store(_ changed: [String: Epoch]) throws {
        guard changed != epochs else { return }
        try files.write(locks: changed)
        epochs = changed
    }

    /// For each app that has not erased its data, the ended epoch whose data the app must erase. This is the epoch of
    /// the app's lock or of the current sign-out.
    package func asked(during pending: SessionMachine.PendingSignOut?) -> [String: Epoch] {
        guard let pending else { return epochs }
        let unerased = pending.commit.unerased.map { ($0, pending.ended) }
        return epochs.merging(unerased) { lock, _ in lock }
    }
}
