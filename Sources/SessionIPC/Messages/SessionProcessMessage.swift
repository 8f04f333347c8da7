// SPDX-License-Identifier: Apache-2.0
package import BrokerIPC
package import BrokerProtocol
package import BrowserPolicies
package import DeviceSettings
package import Processes

/// A message from the session process to the supervisor.
package enum SessionProcessMessage: Sendable, Codable, Equatable {
    /// From now on, the session process answers requests with the device's state as of this change.
    case deviceKnown(change: UInt64)
    case signInRequested(requestID: UInt64)
    /// The person's browser should open this loopback address, which contains no secret. Of the identity platform's
    /// pages, the browser shows only `pages`, which are those that the address leads to.
    case browserWanted(url: String, pages: [String] = [])
    /// The sign-in, join or PIN is over; its page is no longer needed.
    case pageOver
    /// The server has opened a session. The end of that session must be reported to the server.
    case sessionKnown(EndedSession)
    /// The server's pseudonym for the worker in receipts; nil if the server gave none. Sent before
    /// ``sessionKnown(_:)``.
    case receiptSubject(String?)
    /// An app is about to get an access token that is valid until this time, in seconds since 1970. The session process
    /// waits for ``SupervisorMessage/tokenNoted(until:)`` before it answers the app.
    case tokenWanted(until: Int)
    case signInSucceeded
    case signInFailed(OperatorFailure)
    /// The session process is about to tell a reader which accounts the device has, or that it has none. The reader's
    /// tombstones must be on disk first.
    case storeTombstones(reader: AccountReader, [AccountTombstone])
    /// An app requests the sign-out. The descriptor is the app's connection, on which the supervisor answers.
    /// - `inBrowser`: the browser's extension requests the sign-out, and the answer has the extension's format.
    case endWanted(requestID: String, fromBrowser: Bool, correlationID: String?, inBrowser: Bool = false)
    case joined(JoinRecord)
    /// The server has confirmed the report of this session's end.
    case serverSessionEnded(EndedSession)
    /// An app was refused, or a person is asked to sign in. `before` is the number of earlier refusals that were not
    /// reported one by one.
    case refused(RefusalRecord, before: Int)
    /// An app of this epoch asked to be notified before the epoch ends.
    case listenerArrived(epoch: Epoch)
    /// All apps that were notified of the end have saved their work.
    case appsReady(epoch: Epoch)
    /// The apps of this epoch that have unsaved work. The list replaces the list that was reported before.
    case unsavedWork(apps: [String], epoch: Epoch)
    /// An app with folders of data is about to be given data of this epoch's worker.
    case dataHolderArrived(bundleID: String, ProcessTable.Name, epoch: Epoch, requestID: UInt64)
    /// A process of an app of this epoch has an eraser: the app erases a worker's data itself.
    case eraserEnlisted(AppEraser, ProcessTable.Name, epoch: Epoch, requestID: UInt64)
    /// A process has reported, for one eraser, whether it has erased the data of an ended epoch.
    case eraserAnswered(
        AppEraser, ProcessTable.Name, ended: Epoch, EraserReport.Result, requestID: UInt64)
    /// The browser of this epoch's worker should open a page; nil for the home page. Answered with
    /// ``SupervisorMessage/pageSettled(requestID:_:)``.
    case pageWanted(WebAddress?, epoch: Epoch, requestID: UInt64)
    /// A person used the device in this epoch.
    case activity(epoch: Epoch)
    /// A worker has signed in without the server; `subject` is the worker's pseudonym in receipts. Sent before
    /// ``signInSucceeded``.
    case signedInOffline(subject: String?)
    /// The end of the session of a worker who signed in offline, in seconds of `CLOCK_BOOTTIME`; nil after that worker
    /// has signed in with the server.
    case leaseEnds(at: Int?, epoch: Epoch)
    /// The offline lease with which this epoch's worker signed in has ended.
    case leaseOver(epoch: Epoch)
    /// The outcome of setting a PIN for offline sign-in: nil if it was set, otherwise why it was not set.
    case pinSettled(OperatorFailure?)
    /// The offline leases on the device, for the doctor.
    case leasesCounted(LeaseCount)
    /// One ``SupervisorMessage/connection(_:)`` has arrived.
    case connectionTaken
    /// The identity platform refused a request because of the device: the device is disabled, or no longer registered.
    case deviceRefused
    /// What was counted since the last such message.
    case counted(SessionCounts)
    /// An app has reached its limit of connections.
    case limitReached(ConnectionLimitReport)
}

/// Why the person's browser is closed.
package enum BrowserEnd: String, Sendable, Codable {
    case closedByPerson, couldNotOpen, notConfined, policyUnknown, broke, programBroke, agentMissing
}
