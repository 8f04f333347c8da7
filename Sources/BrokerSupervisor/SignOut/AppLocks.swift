// SPDX-License-Identifier: Apache-2.0
package import BrokerIPC
package import BrokerProtocol
internal import DeviceHTTPS
internal import DeviceKeyStore
package import DeviceSettings
package import Logging

/// Owns the locks of apps that have not erased their data of an ended epoch. A locked app is refused until it has
/// erased the data. Every change is on disk before anything depends on it.
package final class AppLocks {
    /// For each eraser that keeps its app locked, the epoch whose data the app still has.
    package private(set) var epochs: [AppEraser: Epoch]
    /// Why the data of apps could not be taken away, by bundle id.
    package private(set) var reasons: [String: AppDataFailure.Code] = [:]
    private let files: DeviceFiles
    private let logger: Logger

    package init(files: DeviceFiles, logger: Logger) throws {
        (self.files, self.logger) = (files, logger)
        epochs = try files.locks()
        // The reason for an app that is not locked yet will be determined again.
        do {
            reasons = try files.lockReasons().filter { isLocked($0.key) }.compactMapValues(AppDataFailure.Code.init)
        } catch let damage as DeviceStateDamaged {
            // Continue without the file, because it only explains the locks.
            logger.error("why apps are locked is not known any more", metadata: ["file": "\(damage.file)"])
        }
    }

    /// The bundle ids of the locked apps, sorted.
    package var apps: [String] { Set(epochs.keys.map(\.bundleID)).sorted() }

    /// The locked apps that have no eraser of their own that could unlock them.
    var appsWithoutEraser: Set<String> {
        Set(apps).subtracting(epochs.keys.filter { $0 != .whole($0.bundleID) }.map(\.bundleID))
    }

    package func isLocked(_ bundleID: String) -> Bool { epochs.keys.contains { $0.bundleID == bundleID } }

    /// Locks the apps of these erasers until each eraser has erased its data of this epoch.
    package func lock(_ erasers: [AppEraser], until ended: Epoch) throws {
        var changed = epochs
        for eraser in erasers { changed[eraser] = ended }
        try store(changed)
        logger.error(
            "apps are locked: they have not erased their data",
            metadata: ["apps": "\(erasers.map(\.rawValue).joined(separator: " "))"])
    }

    /// Removes the lock of an eraser that has erased its data of this epoch. The app is unlocked once none of its
    /// erasers has a lock.
    ///
    /// - Returns: whether there was a lock for that epoch.
    package func unlock(_ eraser: AppEraser, erased ended: Epoch) throws -> Bool {
        guard epochs[eraser] == ended else { return false }
        var changed = epochs
        changed[eraser] = nil
        try store(changed)
        if !isLocked(eraser.bundleID) {
            try forget([eraser.bundleID])
            logger.info(
                "an app has erased its data and is no longer locked", metadata: ["app": "\(eraser.bundleID)"])
        }
        return true
    }

    /// Lets these erasers unlock their app, which no eraser could unlock before.
    package func replaceWhole(_ app: String, with erasers: [AppEraser]) throws {
        let whole = AppEraser.whole(app)
        guard let ended = epochs[whole], !erasers.isEmpty else { return }
        var changed = epochs
        changed[whole] = nil
        for eraser in erasers { changed[eraser] = ended }
        try store(changed)
    }

    /// Removes the locks of apps whose data was removed by the agent or by hand, whichever epoch the data belonged to.
    package func unlock(_ apps: Set<String>) throws {
        try store(epochs.filter { !apps.contains($0.key.bundleID) })
        try forget(apps)
    }

    /// Records why the data of apps could not be taken away. Called before these apps are locked.
    package func note(_ failures: [AppDataFailure]) throws {
        let noted = reasons.merging(failures.map { ($0.app, $0.code) }) { $1 }
        try store(reasons: noted)
    }

    /// Forgets the reasons of apps that are not locked after all.
    package func forgetUnlocked() throws { try store(reasons: reasons.filter { isLocked($0.key) }) }

    private func forget(_ apps: Set<String>) throws {
        try store(reasons: reasons.filter { !apps.contains($0.key) })
    }

    private func store(reasons changed: [String: AppDataFailure.Code]) throws {
        guard changed != reasons else { return }
        try files.write(lockReasons: changed.mapValues(\.rawValue))
        reasons = changed
    }

    private func store(_ changed: [AppEraser: Epoch]) throws {
        guard changed != epochs else { return }
        try files.write(locks: changed)
        epochs = changed
    }

    /// For each eraser that has not erased its data, the ended epoch whose data it must erase. This is the epoch of its
    /// lock or of the current sign-out.
    package func asked(during pending: SessionMachine.PendingSignOut?) -> [AppEraser: Epoch] {
        guard let pending else { return epochs }
        let taken = pending.taking?.taken ?? []
        let unerased = pending.commit.unerased.filter { !taken.contains($0.bundleID) }.map { ($0, pending.ended) }
        return epochs.merging(unerased) { lock, _ in lock }
    }
}
