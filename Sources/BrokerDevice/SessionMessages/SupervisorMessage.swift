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
    case refuse(requestID: UInt64, SignInRefusal)
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

extension SupervisorMessage {
    /// The descriptor of the session process's connection to its supervisor.
    package static let descriptor: Int32 = 3
}
