// SPDX-License-Identifier: Apache-2.0
package import BrokerIPC
package import BrokerProtocol
package import DeviceSettings
package import Processes

/// A message from the supervisor to the session process. Descriptors are sent together with the frame.
package enum SupervisorMessage: Sendable, Codable, Equatable {
    /// The first message: the epoch and, if a live session continues, the session key as a descriptor.
    case start(
        configuration: SupervisorConfiguration, epoch: Epoch, resuming: Bool, device: DeviceSnapshot,
        tombstones: [AccountReader: [AccountTombstone]], asked: [AppEraser: ErasureQuestion], locks: [AppEraser: Epoch])
    /// The device has changed. The answer is ``SessionProcessMessage/deviceKnown(change:)``.
    case device(DeviceSnapshot, change: UInt64)
    /// A new app connection, as a descriptor.
    case connection(PeerRecord)
    /// The remaining tombstones per reader, after some were dropped.
    case tombstones([AccountReader: [AccountTombstone]])
    /// The sign-in may begin. The descriptor is the session key.
    case admit(requestID: UInt64, epoch: Epoch)
    case refuse(requestID: UInt64, SignInRefusal)
    /// The sign-in is in the journal: the worker is signed in.
    case confirm(requestID: UInt64)
    /// The supervisor has recorded the token's expiry for the receipt: the receipt's bound for access tokens is now at
    /// least this time.
    case tokenNoted(until: Int)
    /// A reader's tombstones are on disk.
    case tombstonesStored(AccountReader)
    /// The agent of this user is about to open the browser. Only connections from this user count as the browser's.
    case browserOpening(user: UInt32)
    /// The person closed the browser, or it could not be opened.
    case browserEnded(BrowserEnd)
    /// An operator starts the join. The answer is ``SessionProcessMessage/joined`` or
    /// ``SessionProcessMessage/signInFailed``.
    case join(JoinOrder)
    /// The epoch is about to end. Apps that asked to be notified are notified, and have this long to save their work.
    case willEnd(epoch: Epoch, milliseconds: Int)
    /// The epoch ends after this many seconds if there is no activity.
    case idle(epoch: Epoch, seconds: Int)
    /// The erasers that have not erased their data of an ended epoch, each with that epoch. Until this data is erased,
    /// the erasers' apps may do nothing else.
    case locks([AppEraser: Epoch])
    /// The erasers whose data is not erased, each with its question. No other eraser is asked.
    case asked([AppEraser: ErasureQuestion])
    /// Whether the message with this request id was accepted.
    case appSettled(requestID: UInt64, accepted: Bool)
    /// The eraser in the message with this request id is not registered: its app has the maximum number of erasers, or
    /// of processes that have registered them.
    case appIsFull(requestID: UInt64)
    /// Processes of an app have ended. There may be room now for an eraser that was refused with
    /// ``appIsFull(requestID:)``.
    case roomForErasers
    /// The outcome of the page request with this id: nil if the page is shown, otherwise why it is not shown.
    case pageSettled(requestID: UInt64, PageFailure?)
    /// Offline leases may have been revoked. The session process must ask the server.
    case leasesInQuestion
    /// The operator asks that the worker set a PIN for offline sign-in. The answer is
    /// ``SessionProcessMessage/pinSettled(_:)``.
    case pinWanted
}

/// The question to an app's processes whether they have erased the data of one eraser.
package struct ErasureQuestion: Sendable, Codable, Equatable {
    /// The epoch whose data must be erased.
    package let ended: Epoch
    /// The processes that have erased that data, and are not asked again.
    package let erased: Set<ProcessTable.Name>

    package init(ended: Epoch, erased: Set<ProcessTable.Name> = []) { (self.ended, self.erased) = (ended, erased) }
}

extension SupervisorMessage {
    /// The descriptor number of the session process's connection to its supervisor.
    package static let descriptor: Int32 = 3
}
