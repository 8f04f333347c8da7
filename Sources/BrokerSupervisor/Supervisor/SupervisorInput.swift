// SPDX-License-Identifier: Apache-2.0
package import BrokerIPC
package import BrokerProtocol
package import DeviceSettings
internal import Processes
package import SessionIPC
package import UnixSocket

/// The inputs of the supervisor's thread.
package enum SupervisorInput: Sendable {
    /// Apps have connected and wait until their connections are passed on.
    case appsWaiting
    case agentConnected(AgentLink)
    case agentSaid(AgentLink.ID, AgentMessage)
    case agentLost(AgentLink.ID)
    /// A request from an operator.
    ///
    /// - Parameter connection: the id of the operator's connection. When the connection ends,
    ///   ``operatorGone(connection:)`` is posted with this id.
    case operatorAsked(OperatorRequest, connection: UInt64 = 0, answer: @Sendable (OperatorReply) -> Void)
    case operatorGone(connection: UInt64)
    /// A message from the session process with the number `sessionProcess`.
    case sessionProcessSent(SessionProcessMessage, [Descriptor], sessionProcess: UInt64)
    case sessionProcessEnded(sessionProcess: UInt64)
    /// A program of this user has connected to read the device's state.
    case statusReader(Descriptor, user: UInt32)
    /// The MDM changed a setting.
    case deviceChanged
    case helperAnswered(HelperAnswer)
    case retrySignOut(Epoch)
    case retryBrowser(Epoch)
    /// The agent must have examined this epoch's browsers by now.
    case browserUnexamined(Epoch)
    /// This requester has waited too long for the device to be ready.
    case overdue(SessionMachine.Requester)
    /// The wait for an agent has taken too long.
    case agentOverdue(wait: UInt64)
    /// The order for a worker's page with this id has not been answered in time.
    case pageOverdue(UInt64)
    /// The pause before the start of the session process is over.
    case sessionProcessDue(start: UInt64)
    /// It is time to remove old tombstones.
    case removeTombstones
    /// It is time to try again to empty the trash.
    case emptyTrash
    /// The server's definite answer that the session of this epoch is over.
    case serverEnded(Epoch, SignOutTrigger)
    /// The grace period of the apps that were notified of this epoch's end is over.
    case graceExpired(Epoch)
    /// The time in which this epoch's apps may save unsaved work is over.
    case unsavedWorkOverdue(Epoch)
    /// Whether the management server can be reached; nil if that is not known.
    case serverReachable(Bool?)
    /// A process of an app that has data of a worker may have ended.
    case appProcessEnded
    /// The apps' time to erase their data of this epoch is over.
    case appsOverdue(Epoch)
    /// The agent's time to take away the apps' data of this epoch is over.
    case dataOverdue(Epoch)
    /// Something may be due in the session of this epoch.
    case sessionTimerDue(Epoch)
    /// The servers were notified that the device leaves, or could not be reached.
    case departureTold(isDirectoryTold: Bool)
    /// The identity platform's answer about the device's registration.
    case registrationReceived(RegistrationStatus)
    /// Offline leases may have become invalid.
    case leasesInQuestion
    /// It is time to examine the device for home screens.
    case examinationDue
    /// The examination for home screens has ended, with the code of the first fault, if there is one.
    case examined(fault: String?)
    /// An operator waits for the metrics, and the session process has reported its counts.
    case metricsWanted(@Sendable (OperatorReply) -> Void)
    /// A restart was asked for, so that another version of the broker starts.
    case restartWanted
    /// The restart must not wait any longer for the end of the session.
    case restartOverdue
    case stop
}

/// Posts inputs to the supervisor after a delay.
struct InputTimer: Sendable {
    let inputs: Mailbox<SupervisorInput>
    let clock: SupervisorClock

    func post(_ input: SupervisorInput, after delay: Duration) {
        clock.after(delay) { [inputs] in inputs.post(input) }
    }
}
