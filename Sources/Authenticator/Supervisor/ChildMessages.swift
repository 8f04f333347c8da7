// SPDX-License-Identifier: Apache-2.0
package import BrokerProtocol

/// What the supervisor tells the session's process; descriptors travel beside the frame.
package enum SupervisorMessage: Sendable, Codable, Equatable {
    /// The first message: the epoch, and the session key as a descriptor when a live session is taken up again.
    case start(
        configuration: SupervisorConfiguration, epoch: String, resuming: Bool, device: DeviceSnapshot,
        principals: [AccountReader: [Principal]])
    /// The device changed.
    case device(DeviceSnapshot)
    /// A new app connection, as a descriptor.
    case connection(PeerRecord)
    /// What readers have been told of, after some of it was forgotten.
    case principals([AccountReader: [Principal]])
    /// The visit may begin; the session key is the descriptor.
    case admit(ticket: UInt64, epoch: String)
    case refuse(ticket: UInt64, SessionMachine.Refusal)
    /// The visit is in the journal: the worker holds the device.
    case confirm(ticket: UInt64)
    /// The receipt will not say less than the life of this token.
    case tokenNoted(until: Int)
    /// A reader's principals are on disk.
    case principalsStored(AccountReader)
    /// The person closed the browser, or it could not be opened.
    case browserEnded(BrowserEnd)
    /// An operator asks for the join; the answer is ``ChildMessage/joined`` or ``ChildMessage/visitFailed``.
    case join(JoinOrder)
}

/// What the session's process tells the supervisor.
package enum ChildMessage: Sendable, Codable, Equatable {
    case visitWanted(ticket: UInt64)
    /// A loopback address for the person's browser; nothing secret.
    case browserWanted(url: String)
    /// The server has opened a session, which it must hear the end of.
    case sessionKnown(EndedSession)
    /// What the server calls the worker in receipts; nil where it gave no name. Said before ``sessionKnown(_:)``.
    case receiptSubject(String?)
    /// An app is about to be given an access token that lives until then, in seconds since 1970; it waits for
    /// ``SupervisorMessage/tokenNoted(until:)``.
    case tokenWanted(until: Int)
    case visitSucceeded
    case visitFailed(OperatorFailure)
    /// A reader is about to be told of an account, or of nobody; it is on disk before the reader hears of it.
    case storePrincipals(reader: AccountReader, [Principal])
    /// An app asks for the sign-out; its connection is the descriptor, and the answer goes there.
    case endWanted(requestID: String, fromBrowser: Bool, correlationID: String?)
    case joined(JoinRecord)
    /// The server knows that this session has ended.
    case serverSessionEnded(EndedSession)
    /// An app was refused, or a person is asked to sign in; `before` others came too fast to be told.
    case refused(RefusalRecord, before: Int)
}

/// Why the person's browser is gone.
package enum BrowserEnd: String, Sendable, Codable {
    case closedByPerson, couldNotOpen, agentMissing
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
