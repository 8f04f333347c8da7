// SPDX-License-Identifier: Apache-2.0
package import BrokerDevice
internal import Synchronization

/// The user whose browser a ``LoopbackServer`` serves, for the connections that wait to know.
///
/// Any process may connect and go again while nobody has opened a browser: a connection that ends waits no more.
package final class LoopbackOwner: Sendable {
    package typealias Waiter = @Sendable (UInt32?) -> Void

    private enum State {
        case unknown([ObjectIdentifier: Waiter])
        /// Nil where there is no browser.
        case known(UInt32?)
    }

    private let state = Mutex<State>(.unknown([:]))

    package init(_ owner: Promise<UInt32>) {
        owner.whenSettled { [weak self] outcome in self?.settle(try? outcome.get()) }
    }

    /// Calls `waiter` once when the user is known, or when there will be none, unless `connection` leaves before.
    package func tell(_ connection: ObjectIdentifier, _ waiter: @escaping Waiter) {
        let known: UInt32?? = state.withLock { state in
            switch state {
            case .known(let owner): return .some(owner)
            case .unknown(var waiters):
                waiters[connection] = waiter
                state = .unknown(waiters)
                return nil
            }
        }
        if let known { waiter(known) }
    }

    /// Releases what `connection` waits with, which is never called then; the connection has ended.
    package func leave(_ connection: ObjectIdentifier) {
        state.withLock { state in
            guard case .unknown(var waiters) = state else { return }
            waiters[connection] = nil
            state = .unknown(waiters)
        }
    }

    /// Ends the wait; only the first call counts.
    ///
    /// - Parameter owner: nil where there will be no browser.
    package func settle(_ owner: UInt32?) {
        let waiters: [Waiter] = state.withLock { state in
            guard case .unknown(let waiters) = state else { return [] }
            state = .known(owner)
            return Array(waiters.values)
        }
        for waiter in waiters { waiter(owner) }
    }
}
