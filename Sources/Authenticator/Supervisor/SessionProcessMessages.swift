// SPDX-License-Identifier: Apache-2.0
package import BrokerIPC
package import BrokerProtocol

/// What the supervisor tells the session process; descriptors travel beside the frame.
package enum SupervisorMessage: Sendable, Codable, Equatable {
    /// The first message: the epoch, and the session key as a descriptor when a live session is taken up again.
    case start(
        configuration: SupervisorConfiguration, epoch: Epoch, resuming: Bool, device: DeviceSnapshot,
        tombstones: [AccountReader: [AccountTombstone]], askedApps: [String: Epoch], locks: [String: Epoch])
    /// The device changed; the answer is ``SessionProcessMessage/deviceKnown(change:)``.
    case device(DeviceSnapshot, change: UInt64)
    /// A new app connection, as a descriptor.
    case connection(PeerRecord)
    /// What readers have been told of, after some of it was forgotten.
    case tombstones([AccountReader: [AccountTombstone]])
    /// The sign-in may begin; the session key is the descriptor.
    case admit(requestID: UInt64, epoch: Epoch)
    case refuse(requestID: UInt64, SessionMachine.Refusal)
    /// The sign-in is in the journal: the worker holds the device.
    case confirm(requestID: UInt64)
    /// The receipt will not say less than the life of this token.
    case tokenNoted(until: Int)
    /// A reader's tombstones are on disk.
    case tombstonesStored(AccountReader)
    /// The agent of this user is about to be asked for the browser: only that user's connections are the browser's.
    case browserOpening(user: UInt32)
    /// The person closed the browser, or it could not be opened.
    case browserEnded(BrowserEnd)
    /// An operator asks for the join; the answer is ``SessionProcessMessage/joined`` or ``SessionProcessMessage/signInFailed``.
    case join(JoinOrder)
    /// The epoch is about to end: apps that asked for it are told, and have this long to save.
    case willEnd(epoch: Epoch, milliseconds: Int)
    /// The epoch ends after these seconds unless the person does something.
    case idle(epoch: Epoch, seconds: Int)
    /// Apps that have not erased what is of an ended epoch, and which; they do nothing but erase.
    case locks([String: Epoch])
    /// What an app asked with this request was done, or refused.
    case appSettled(requestID: UInt64, accepted: Bool)
    /// Offline leases may be good no more: the server is to be asked.
    case leasesInQuestion
    /// The operator wants the worker to set a PIN for offline sign-in; the answer is ``SessionProcessMessage/pinSettled(_:)``.
    case pinWanted
}

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
    /// An app has as many connections as one may have.
    case limitReached(ConnectionLimitReport)
}

/// Why the person's browser is gone.
package enum BrowserEnd: String, Sendable, Codable {
    case closedByPerson, couldNotOpen, broke, agentMissing
}

/// Who connected, in the kernel's word.
package struct PeerRecord: Sendable, Codable, Equatable {
    /// A label for logs: 0 where the process that connected had ended by the time of the accept, since its number may be
    /// another's then.
    package let pid: Int32
    package let uid: UInt32
    package let identity: AppIdentity

    package init(pid: Int32, uid: UInt32, identity: AppIdentity) {
        self.pid = pid
        self.uid = uid
        self.identity = identity
    }
}
