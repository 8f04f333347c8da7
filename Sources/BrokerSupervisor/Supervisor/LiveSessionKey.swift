// SPDX-License-Identifier: Apache-2.0
internal import BrokerProtocol
internal import DeviceKeyStore
internal import Logging
internal import UnixSocket

/// The session's key in its memory file. The service manager keeps the file across a restart of the broker.
final class LiveSessionKey {
    private var memory: MemoryKey?
    /// The epoch whose key the service manager keeps as well.
    private var kept: Epoch?
    private let logger: Logger

    init(logger: Logger) { self.logger = logger }

    /// The file with the key; nil if there is no session.
    var file: Descriptor? { memory?.file }

    /// Adopts the kept key of the session that the journal records as live, and destroys every other key.
    ///
    /// - Returns: whether the key of that session was kept.
    func adopt(_ inherited: [Epoch: MemoryKey], for record: JournalRecord?) -> Bool {
        var live: Epoch?
        if case .signedIn(let epoch, _, _) = record { live = epoch }
        for (epoch, key) in inherited {
            guard epoch == live else {
                key.destroy()
                release(epoch)
                continue
            }
            (memory, kept) = (key, epoch)
        }
        return memory != nil
    }

    /// Makes the key of a new session.
    func make() throws { memory = try MemoryKey() }

    /// Passes the key of the live session to the service manager, which keeps it. If that fails, the session ends when
    /// the supervisor ends.
    func keep(for epoch: Epoch) {
        guard kept != epoch, let memory else { return }
        do {
            try ServiceNotification.keep(memory.file, name: InheritedState.keyName(epoch))
            kept = epoch
        } catch {
            logger.warning("the service manager did not take the session's key", metadata: ["error": "\(error)"])
        }
    }

    /// Overwrites the key, so that it is useless to every process that still has its file open.
    ///
    /// - Returns: whether a key was present.
    @discardableResult
    func destroy() -> Bool {
        let isHere = memory != nil
        memory?.destroy()
        kept.map(release)
        (memory, kept) = (nil, nil)
        return isHere
    }

    private func release(_ epoch: Epoch) {
        do { try ServiceNotification.release(name: InheritedState.keyName(epoch)) } catch {
            logger.warning("the service manager was not told to release a key", metadata: ["error": "\(error)"])
        }
    }
}
