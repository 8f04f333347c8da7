// SPDX-License-Identifier: Apache-2.0
internal import BrokerProtocol
internal import Logging
internal import UnixSocket

/// The session key's life beside the supervisor: the service manager keeps the memory file over a restart of the broker.
extension Supervisor {
    /// Takes the kept key of the session that the journal says is live, and destroys every other.
    ///
    /// - Returns: whether there is one.
    func adoptKey(_ kept: [Epoch: MemoryKey], for record: JournalRecord?) -> Bool {
        var live: Epoch?
        if case .signedIn(let epoch, _) = record { live = epoch }
        for (epoch, memory) in kept {
            guard epoch == live else {
                memory.destroy()
                releaseKey(of: epoch)
                continue
            }
            (key, keptKey) = (memory, epoch)
        }
        return key != nil
    }

    /// Has the manager keep the key of a session that is live now; without one the session ends with the supervisor.
    func keepKey(of epoch: Epoch) {
        guard let key else { return }
        do {
            try ServiceNotification.keep(key.file, name: InheritedState.keyName(epoch))
            keptKey = epoch
        } catch { logger.warning("the service manager keeps no key", metadata: ["error": "\(error)"]) }
    }

    /// Overwrites the key, so that it is dead wherever its file is still open.
    ///
    /// - Returns: whether there was one here.
    @discardableResult
    func destroyKey() -> Bool {
        let isHere = key != nil
        key?.destroy()
        key = nil
        keptKey.map(releaseKey)
        keptKey = nil
        return isHere
    }

    private func releaseKey(of epoch: Epoch) {
        do { try ServiceNotification.release(name: InheritedState.keyName(epoch)) } catch {
            logger.warning("the service manager did not hear of a key's end", metadata: ["error": "\(error)"])
        }
    }
}
