// SPDX-License-Identifier: Apache-2.0
package import BrokerProtocol

extension SessionMachine.State {
    /// The person who is at the device.
    package var session: SessionMachine.ActiveSession? {
        switch self {
        case .signingIn(let session, _), .signedIn(let session), .ending(let session, _): session
        case .ready, .signingOut: nil
        }
    }

    /// The epoch of the worker who holds the device.
    package var heldEpoch: Epoch? {
        switch self {
        case .signedIn(let session), .ending(let session, _): session.epoch
        case .ready, .signingIn, .signingOut: nil
        }
    }

    /// The sign-out that is committed and not finished.
    package var pending: SessionMachine.PendingSignOut? {
        guard case .signingOut(let pending) = self else { return nil }
        return pending
    }
}
