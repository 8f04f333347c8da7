// SPDX-License-Identifier: Apache-2.0
internal import BrokerProtocol
internal import SessionIPC
internal import Synchronization

/// Tells the supervisor that a person did something at the device, which postpones the end of an idle session.
final class ActivityReporter: Sendable {
    private let session: CurrentSession
    private let access: AppAccess
    private let supervisor: SupervisorLink
    private let last = Mutex<ContinuousClock.Instant?>(nil)

    init(session: CurrentSession, access: AppAccess, supervisor: SupervisorLink) {
        (self.session, self.access, self.supervisor) = (session, access, supervisor)
    }

    /// Handles an app's report that a person did something.
    func report(_ call: AppRequest) throws(BrokerError) -> AppResponse {
        try access.app(ClientRequest(call.parameters), in: call)
        personActed()
        return AppResponse()
    }

    /// Reports that a person did something at the device, at most once a second.
    func personActed() {
        let now = ContinuousClock.now
        let isDue = last.withLock { last in
            if let last, now - last < .seconds(1) { return false }
            last = now
            return true
        }
        if isDue { supervisor.tell(.activity(epoch: session.epoch)) }
    }
}
