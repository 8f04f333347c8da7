// SPDX-License-Identifier: Apache-2.0
package import BrokerProtocol

extension SessionMachine.State {
    /// The person who is at the device.
    package var visit: SessionMachine.Visit? {
        switch self {
        case .visiting(let visit, _), .signedIn(let visit), .ending(let visit, _): visit
        case .ready, .signingOut: nil
        }
    }

    /// The epoch of the worker who holds the device.
    package var heldEpoch: Epoch? {
        switch self {
        case .signedIn(let visit), .ending(let visit, _): visit.epoch
        case .ready, .visiting, .signingOut: nil
        }
    }

    /// The sign-out that is committed and not finished.
    package var clearing: SessionMachine.Clearing? {
        guard case .signingOut(let clearing) = self else { return nil }
        return clearing
    }
}
