// SPDX-License-Identifier: Apache-2.0
package import BrokerDevice
package import BrokerProtocol
package import Logging

/// The apps that have not erased what is of an ended epoch; each does nothing until it has. On disk before anything follows.
package struct AppLocks {
    /// By bundle id, the epoch whose data the app still has.
    package private(set) var epochs: [String: Epoch]
    private let files: DeviceFiles
    private let logger: Logger

    package init(files: DeviceFiles, logger: Logger) throws {
        (self.files, self.logger) = (files, logger)
        epochs = try files.locks()
    }

    package func isLocked(_ app: String) -> Bool { epochs[app] != nil }

    /// Locks apps until they have erased what is of this epoch.
    package mutating func lock(_ apps: [String], until ended: Epoch) throws {
        var changed = epochs
        for app in apps { changed[app] = ended }
        try store(changed)
        logger.error("apps are locked: they have not erased", metadata: ["apps": "\(apps.joined(separator: " "))"])
    }

    /// Unlocks an app that has erased what is of this epoch.
    ///
    /// - Returns: whether it was locked for that epoch.
    package mutating func unlock(_ app: String, erased ended: Epoch) throws -> Bool {
        guard epochs[app] == ended else { return false }
        var changed = epochs
        changed[app] = nil
        try store(changed)
        logger.info("an app has erased and is locked no more", metadata: ["app": "\(app)"])
        return true
    }

    private mutating func store(_ changed: [String: Epoch]) throws {
        guard changed != epochs else { return }
        try files.write(locks: changed)
        epochs = changed
    }

    /// The ended epoch that each app is asked about now: that of its lock, or of the sign-out that goes on.
    package func asked(during pending: SessionMachine.PendingSignOut?) -> [String: Epoch] {
        guard let pending else { return epochs }
        let unerased = pending.commit.unerased.map { ($0, pending.ended) }
        return epochs.merging(unerased) { lock, _ in lock }
    }
}
