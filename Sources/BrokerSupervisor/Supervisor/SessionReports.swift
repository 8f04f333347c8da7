// SPDX-License-Identifier: Apache-2.0
internal import BrokerProtocol
internal import DeviceSettings
internal import MDMClient

/// Owns the reports of the session's state to other parts of the process. Each change is reported once.
final class SessionReports {
    private let device: any MDMClientInterface
    private let join: JoinFlow
    private let serverSessions: ServerSessions
    private let receipts: ReceiptWriter
    private let watch: @Sendable (WatchedSession) -> Void
    /// The stage that was last reported to management.
    private var stage: SessionStage?
    /// The state that was last reported to the parts that talk to the server.
    private var watched: WatchedSession?

    /// - Parameter watch: receives the state that the device reports to its server; must not block.
    init(
        device: any MDMClientInterface, join: JoinFlow, serverSessions: ServerSessions, receipts: ReceiptWriter,
        watch: @escaping @Sendable (WatchedSession) -> Void
    ) {
        (self.device, self.join, self.serverSessions) = (device, join, serverSessions)
        (self.receipts, self.watch) = (receipts, watch)
    }

    /// Reports the stage to management.
    func tell(_ present: SessionStage) {
        guard present != stage else { return }
        stage = present
        device.session(is: present)
    }

    /// Reports the state that the device reports to its server.
    ///
    /// - Parameter held: the epoch of the worker who is signed in.
    func tell(_ epoch: Epoch, held: Epoch?) {
        let present = WatchedSession(
            join: join.record, epoch: epoch, serverSession: serverSessions.sessionID(in: held),
            receipt: receipts.sequence)
        guard present != watched else { return }
        watched = present
        watch(present)
    }
}
