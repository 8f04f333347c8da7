// SPDX-License-Identifier: Apache-2.0
package import BrokerDevice
package import BrokerIPC
package import BrokerProtocol
internal import Processes
package import UnixSocket

/// Everything that the supervisor's one thread is told by others.
package enum SupervisorInput: Sendable {
    /// Apps have connected and wait to be passed on.
    case appsWaiting
    case agentConnected(AgentLink)
    case agentSaid(AgentLink.ID, AgentMessage)
    case agentLost(AgentLink.ID)
    /// - Parameter connection: the operator's, which ``operatorGone(connection:)`` names when it has ended.
    case operatorAsked(OperatorRequest, connection: UInt64 = 0, answer: @Sendable (OperatorReply) -> Void)
    case operatorGone(connection: UInt64)
    /// From the session process that was started as number `sessionProcess`.
    case sessionProcessSent(SessionProcessMessage, [Descriptor], sessionProcess: UInt64)
    case sessionProcessEnded(sessionProcess: UInt64)
    /// The MDM changed something.
    case deviceChanged
    case retrySignOut(Epoch)
    case retryBrowser(Epoch)
    /// This requester has waited long enough for the device to be ready.
    case overdue(SessionMachine.Requester)
    /// Whoever waits for an agent has waited long enough.
    case agentOverdue(wait: UInt64)
    /// Time to start the session process again.
    case sessionProcessDue(start: UInt64)
    /// Time to forget whom clients saw long ago.
    case removeTombstones
    /// Time to try again to unlink what ended sessions left.
    case emptyTrash
    /// The server's definite word that the session of this epoch is over.
    case serverEnded(Epoch, SignOutTrigger)
    /// The apps that were told of the end of this epoch have had their time to save.
    case graceExpired(Epoch)
    /// The apps have had their time to erase what is of this epoch.
    case appsOverdue(Epoch)
    /// Something may be due in the session of this epoch.
    case sessionTimerDue(Epoch)
    /// The servers were told that the device leaves, or cannot be.
    case departureTold(isDirectoryTold: Bool)
    /// What the identity platform says of the device's registration.
    case registrationHeard(RegistrationStatus)
    /// Offline leases may be good no more.
    case leasesInQuestion
    case stop
}

/// Posts inputs to the supervisor after a while.
struct InputTimer: Sendable {
    let inputs: Mailbox<SupervisorInput>
    let clock: SupervisorClock

    func post(_ input: SupervisorInput, after delay: Duration) {
        clock.after(delay) { [inputs] in inputs.post(input) }
    }
}
