// SPDX-License-Identifier: Apache-2.0
package import BrokerIPC
package import BrokerProtocol

/// What the session process tells the supervisor.
package enum SessionProcessMessage: Sendable, Codable, Equatable {
    /// Whoever asks from now on is answered by the device as it is since this change.
    case deviceKnown(change: UInt64)
    case signInRequested(requestID: UInt64)
    /// A loopback address for the person's browser; nothing secret.
    case browserWanted(url: String)
    /// The server has opened a session, which it must hear the end of.
    case sessionKnown(EndedSession)
    /// What the server calls the worker in receipts; nil where it gave no name. Said before ``sessionKnown(_:)``.
    case receiptSubject(String?)
    /// An app is about to be given an access token that lives until then, in seconds since 1970; it waits for
    /// ``SupervisorMessage/tokenNoted(until:)``.
    case tokenWanted(until: Int)
    case signInSucceeded
    case signInFailed(OperatorFailure)
    /// A reader is about to be told of an account, or of nobody; it is on disk before the reader hears of it.
    case storeTombstones(reader: AccountReader, [AccountTombstone])
    /// An app asks for the sign-out; its connection is the descriptor, and the answer goes there.
    case endWanted(requestID: String, fromBrowser: Bool, correlationID: String?)
    case joined(JoinRecord)
    /// The server knows that this session has ended.
    case serverSessionEnded(EndedSession)
    /// An app was refused, or a person is asked to sign in; `before` others came too fast to be told.
    case refused(RefusalRecord, before: Int)
    /// An app of this epoch asked to be told before the end.
    case listenerArrived(epoch: Epoch)
    /// Every app that was told of the end has saved.
    case appsReady(epoch: Epoch)
    /// An app of this epoch erases a worker's data itself.
    case appEnlisted(app: String, epoch: Epoch, requestID: UInt64)
    /// What an app says of its eraser for an ended epoch.
    case appAnswered(app: String, ended: Epoch, EraserReport.Result, requestID: UInt64)
    /// A person did something at the device, in this epoch.
    case activity(epoch: Epoch)
    /// The worker is here without the server; what receipts call them. Said before ``signInSucceeded``.
    case signedInOffline(subject: String?)
    /// The offline lease is over by which this epoch's worker came.
    case leaseOver(epoch: Epoch)
    /// A PIN for offline sign-in is set; or why it is not.
    case pinSettled(OperatorFailure?)
    /// What the device holds of offline leases, for the doctor.
    case leasesCounted(LeaseCount)
    /// One ``SupervisorMessage/connection(_:)`` has arrived.
    case connectionTaken
    /// The identity platform refused a request because of the device: it is disabled, or not listed any more.
    case deviceRefused
    /// An app has as many connections as one may have.
    case limitReached(ConnectionLimitReport)
}

/// Why the person's browser is gone.
package enum BrowserEnd: String, Sendable, Codable {
    case closedByPerson, couldNotOpen, broke, agentMissing
}
