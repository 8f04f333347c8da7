// SPDX-License-Identifier: Apache-2.0
internal import BrokerProtocol
internal import Logging

/// What apps do at the end of a session: they save before it, erase after it, and are locked until they have.
extension Supervisor {
    func appSaid(_ message: SessionProcessMessage) throws {
        switch message {
        case .listenerArrived(let epoch): try handle(.listenerArrived(epoch))
        case .appsReady(let epoch): try handle(.graceExpired(epoch))
        case .appEnlisted(let app, let epoch, let requestID): try enlist(app, in: epoch, requestID: requestID)
        case .appAnswered(let app, let ended, let result, let requestID):
            try appAnswered(app, result, of: ended, requestID: requestID)
        case .activity(let epoch): try activity(in: epoch)
        default: break
        }
    }

    /// Tells the apps of this epoch that it is about to end; they have a moment to save.
    func announceEnd(of epoch: Epoch) {
        let patience = sessionPolicy.willEndPatience
        tell(.willEnd(epoch: epoch, milliseconds: patience))
        post(.graceExpired(epoch), after: .milliseconds(patience))
    }

    /// Gives the apps of an ended epoch their time to erase.
    func awaitApps(of ended: Epoch) {
        post(.appsOverdue(ended), after: .milliseconds(sessionPolicy.eraserPatience))
    }

    /// Locks apps that have not erased what is of this epoch; on disk before the device is ready.
    func lock(_ apps: [String], until ended: Epoch) throws {
        var changed = locks
        for app in apps { changed[app] = ended }
        try store(locks: changed)
        logger.error("apps are locked: they have not erased", metadata: ["apps": "\(apps.joined(separator: " "))"])
    }

    private func store(locks changed: [String: Epoch]) throws {
        guard changed != locks else { return }
        try files.write(locks: changed)
        locks = changed
        tell(.locks(changed))
    }

    /// An app of the session process wants to be asked for its eraser; a locked one must erase first.
    func enlist(_ app: String, in epoch: Epoch, requestID: UInt64) throws {
        guard locks[app] == nil else {
            return tell(.appSettled(requestID: requestID, accepted: false))
        }
        try handle(.appEnlisted(app, epoch))
        let session = machine.state.session
        let isEnlisted = session?.epoch == epoch && session?.apps.contains(app) == true
        tell(.appSettled(requestID: requestID, accepted: isEnlisted))
    }

    /// What an app says of its eraser; it hears of it when that is on disk.
    func appAnswered(_ app: String, _ result: EraserReport.Result, of ended: Epoch, requestID: UInt64) throws {
        // What is live cannot have been erased.
        guard ended.counter < machine.epoch.counter else {
            return tell(.appSettled(requestID: requestID, accepted: false))
        }
        try handle(.appAnswered(app, hasErased: result == .done, ended))
        if result == .done, locks[app] == ended {
            var changed = locks
            changed[app] = nil
            try store(locks: changed)
            logger.info("an app has erased and is locked no more", metadata: ["app": "\(app)"])
        }
        tell(.appSettled(requestID: requestID, accepted: true))
    }

    /// The ended epoch that each app is asked about now: that of the sign-out that goes on, or of its lock.
    var askedApps: [String: Epoch] {
        guard let pending = machine.state.pending else { return locks }
        let awaited = pending.commit.apps.filter { $0.value != .done }.mapValues { _ in pending.ended }
        return locks.merging(awaited) { lock, _ in lock }
    }
}
