// SPDX-License-Identifier: Apache-2.0
internal import BrokerIPC
internal import Logging
internal import SessionIPC

/// Owns the end of every request that a session process leaves unanswered.
final class SessionProcessRequests {
    private let wait: AgentWait
    private let pages: PageRequests
    private let pin: PINRequest
    private let leases: OfflineLeaseCount
    private let updates: DeviceUpdates

    init(wait: AgentWait, pages: PageRequests, pin: PINRequest, leases: OfflineLeaseCount, updates: DeviceUpdates) {
        (self.wait, self.pages, self.pin, self.leases, self.updates) = (wait, pages, pin, leases, updates)
    }

    /// Ends the requests that can no longer be answered, before the process ends.
    func processEnds() {
        wait.drop()
        pages.drop()
        pin.settle(.pinInterrupted)
        leases.forget()
    }

    /// Answers the operators who wait until no process serves apps with an older state of the device.
    func processEnded() { updates.processEnded() }
}

/// Owns the count of the offline leases.
final class OfflineLeaseCount {
    /// The session process's count; nil until that process has counted the leases.
    private(set) var count: LeaseCount?
    private let logger: Logger

    init(logger: Logger) { self.logger = logger }

    func note(_ new: LeaseCount) {
        guard new != count else { return }
        count = new
        logger.info(
            "leases for signing in without the server",
            metadata: ["leases": "\(new.leases)", "leases.pins": "\(new.pins)"])
    }

    /// Forgets the count of a process that ends.
    func forget() { count = nil }
}

/// Owns what the session process knows about the device.
final class DeviceUpdates {
    /// The operators who wait until the process has received a change of the device.
    private var changes = DeviceChanges()
    private let device: ConfiguredDevice
    private let sessionProcess: SessionProcess

    init(device: ConfiguredDevice, sessionProcess: SessionProcess) {
        (self.device, self.sessionProcess) = (device, sessionProcess)
    }

    /// Sends the device's current state to the process.
    func tell() { sessionProcess.tell(.device(device.snapshot, change: changes.next())) }

    /// Calls `answer` when the session process has received the newest device state and serves the apps with it. If no
    /// process runs, calls `answer` at once.
    func whenKnown(_ answer: @escaping @Sendable () -> Void) {
        changes.whenKnown(answer)
        if sessionProcess.pid == nil { changes.known(changes.newest) }
    }

    /// Sends the answers that wait for this change or for an older change.
    func known(_ change: UInt64) { changes.known(change) }

    /// Sends all answers: from now on, no app is served with an older state of the device.
    func processEnded() { changes.known(changes.newest) }
}
