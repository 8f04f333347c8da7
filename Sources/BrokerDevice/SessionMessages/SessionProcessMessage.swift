// SPDX-License-Identifier: Apache-2.0
package import BrokerIPC
package import BrokerProtocol
package import BrowserPolicies

/// A message from the session process to the supervisor.
package enum SessionProcessMessage: Sendable, Codable, Equatable {
    /// Requests that arrive from now on are answered with the device's state since this change.
    case deviceKnown(change: UInt64)
    case signInRequested(requestID: UInt64)
    /// A loopback address for the person's browser; it contains no secret.
    case browserWanted(url: String)
    /// The server has opened a session. Its end must be reported to the server.
    case sessionKnown(EndedSession)
    /// The server's name for the worker in receipts; nil if it gave none. Sent before ``sessionKnown(_:)``.
    case receiptSubject(String?)
    /// An app is about to get an access token that is valid until then, in seconds since 1970. The session process
    /// waits for ``SupervisorMessage/tokenNoted(until:)`` before it answers.
    case tokenWanted(until: Int)
    case signInSucceeded
    case signInFailed(OperatorFailure)
    /// A reader is about to be told of accounts, or of their absence. The tombstones are on disk before the reader is
    /// told.
    case storeTombstones(reader: AccountReader, [AccountTombstone])
    /// An app requests the sign-out. The descriptor is its connection, on which the supervisor answers.
    /// - `inBrowser`: the browser's extension requests it, and is answered in its form.
    case endWanted(requestID: String, fromBrowser: Bool, correlationID: String?, inBrowser: Bool = false)
    case joined(JoinRecord)
    /// The server has been told that this session has ended.
    case serverSessionEnded(EndedSession)
    /// An app was refused, or a person is asked to sign in. `before` counts earlier ones that were not reported one by
    /// one.
    case refused(RefusalRecord, before: Int)
    /// An app of this epoch asked to be told before the end.
    case listenerArrived(epoch: Epoch)
    /// All apps that were told of the end have saved.
    case appsReady(epoch: Epoch)
    /// An app of this epoch erases a worker's data itself.
    case appEnlisted(app: String, epoch: Epoch, requestID: UInt64)
    /// An app's report on its eraser for an ended epoch.
    case appAnswered(app: String, ended: Epoch, EraserReport.Result, requestID: UInt64)
    /// A page opens in the browser of this epoch's worker; nil for the home page.
    case pageWanted(WebAddress?, epoch: Epoch, requestID: UInt64)
    /// A person used the device in this epoch.
    case activity(epoch: Epoch)
    /// A worker has signed in without the server; `subject` is the worker's name in receipts. Sent before
    /// ``signInSucceeded``.
    case signedInOffline(subject: String?)
    /// The offline lease with which this epoch's worker signed in has ended.
    case leaseOver(epoch: Epoch)
    /// A PIN for offline sign-in was set, or why it was not.
    case pinSettled(OperatorFailure?)
    /// The offline leases on the device, for the doctor.
    case leasesCounted(LeaseCount)
    /// One ``SupervisorMessage/connection(_:)`` has arrived.
    case connectionTaken
    /// The identity platform refused a request because of the device: it is disabled, or no longer registered.
    case deviceRefused
    /// An app has reached its limit of connections.
    case limitReached(ConnectionLimitReport)
}

/// Why the person's browser is closed.
package enum BrowserEnd: String, Sendable, Codable {
    case closedByPerson, couldNotOpen, broke, agentMissing
}
