// SPDX-License-Identifier: Apache-2.0
/// What the supervisor tells the session's process; descriptors travel beside the frame.
package enum SupervisorMessage: Sendable, Codable, Equatable {
    /// The first message: the epoch, and the session key as a descriptor when a live session is taken up again.
    case start(epoch: String, resuming: Bool, device: DeviceSnapshot, principals: [String: Principal])
    /// The device changed.
    case device(DeviceSnapshot)
    /// A new app connection, as a descriptor.
    case connection(PeerRecord)
    /// The visit may begin; the session key is the descriptor.
    case admit(ticket: UInt64, epoch: String)
    case refuse(ticket: UInt64, occupied: Bool)
    /// The visit is in the journal: the worker holds the device.
    case confirm(ticket: UInt64)
    /// A principal is on disk.
    case principalStored(clientID: String)
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
    case visitSucceeded(serverSession: String)
    case visitFailed(code: Int, message: String)
    /// A client was told of an account; it is on disk before the client hears of it.
    case storePrincipal(clientID: String, homeAccountID: String?)
    /// An app asks for the sign-out; its connection is the descriptor, and the answer goes there.
    case endWanted(requestID: String, fromBrowser: Bool)
    case joined(JoinRecord)
    /// The server knows that this session has ended.
    case serverSessionEnded(String)
}

/// Why the person's browser is gone.
package enum BrowserEnd: String, Sendable, Codable {
    case closedByPerson, couldNotOpen, agentMissing
}

/// The kernel's word on who connected.
package struct PeerRecord: Sendable, Codable, Equatable {
    package let pid: Int32
    package let uid: UInt32

    package init(pid: Int32, uid: UInt32) {
        self.pid = pid
        self.uid = uid
    }
}

/// The account that a client has been told of: what `previousAccount` is made of after the worker has gone.
package struct Principal: Sendable, Codable, Equatable {
    package let homeAccountID: String
    /// The epoch in which the client was told.
    package let epoch: String
    /// When that epoch ended, in seconds since 1970; nil while it lasts.
    package var endedAt: Int?

    package init(homeAccountID: String, epoch: String, endedAt: Int? = nil) {
        self.homeAccountID = homeAccountID
        self.epoch = epoch
        self.endedAt = endedAt
    }
}
