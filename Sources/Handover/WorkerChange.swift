// SPDX-License-Identifier: Apache-2.0
public import MSAL

/// A change of worker, from the point of view of one reader of a ``Handover``.
public struct WorkerChange: Sendable, Hashable {
    /// The kinds of change.
    public enum Kind: Sendable, Hashable {
        /// This worker is signed in, and the reader had seen no other worker.
        case signedIn(MSALAccount)
        /// Nobody is signed in. `previous` is the worker whom the reader had seen; nil if it had seen none.
        case signedOut(previous: MSALAccount?)
        /// The worker `to` is signed in, and the reader had seen the worker `from`.
        case switched(from: MSALAccount, to: MSALAccount)
        /// Nobody knows who is signed in. Show no worker's data until the next change.
        case unknown(UnknownReason)
    }

    /// What has changed.
    public let kind: Kind
    /// The epoch that began with the change; nil for ``Kind/unknown(_:)``.
    public let epoch: SessionEpoch?

    /// The worker who is signed in; nil if nobody is signed in, or if nobody knows who is.
    public var current: MSALAccount? {
        switch kind {
        case .signedIn(let account), .switched(_, to: let account): account
        case .signedOut, .unknown: nil
        }
    }

    /// The worker who has left, if the reader had seen one. Only the identifier of this account is known.
    public var previous: MSALAccount? {
        switch kind {
        case .signedOut(let account): account
        case .switched(from: let account, _): account
        case .signedIn, .unknown: nil
        }
    }
}

/// Why nobody knows who is signed in.
public struct UnknownReason: Sendable, Hashable {
    private let failure: LinkFailure

    /// The error with which `MSAL`'s calls fail, in `MSALErrorDomain`, with cause and remedy.
    public var error: NSError { failure.error }

    /// Whether the reason may be over in a moment: for example, the broker is restarting, or an eraser of this process
    /// is running. Any other reason, such as an app that is not registered or that is locked because of another
    /// process, lasts until somebody does something about it.
    public let isPassing: Bool

    init(_ failure: LinkFailure, isPassing: Bool) { (self.failure, self.isPassing) = (failure, isPassing) }

    /// All reasons have the same hash: equal failures need equal hashes, and a failure may contain any error.
    public func hash(into hasher: inout Hasher) {}
}
