// SPDX-License-Identifier: Apache-2.0
package import Processes
internal import Synchronization

/// Tells waiting connections which user's browser a ``LoopbackServer`` serves, as soon as this user is known.
///
/// Before a browser is opened, any process may connect and disconnect; a connection that ends stops waiting.
package final class LoopbackOwner: Sendable {
    package typealias Waiter = @Sendable (UInt32?) -> Void

    private enum State {
        case unknown([ObjectIdentifier: Waiter])
        /// Nil if no browser will open.
        case known(UInt32?)
    }

    private let state = Mutex<State>(.unknown([:]))

    package init(_ owner: Promise<UInt32>) {
        owner.whenSettled { [weak self] outcome in self?.settle(try? outcome.get()) }
    }

    /// Calls `waiter` once the user is known, or once it is certain that no browser will open. Does not call it if
    /// ``leave(_:)`` was called for `connection` before.
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

    /// Removes the waiter of a connection that has ended, so that the waiter is not called.
    package func leave(_ connection: ObjectIdentifier) {
        state.withLock { state in
            guard case .unknown(var waiters) = state else { return }
            waiters[connection] = nil
            state = .unknown(waiters)
        }
    }

    /// Settles the user; only the first call has an effect.
    ///
    /// - Parameter owner: nil if no browser will open.
    package func settle(_ owner: UInt32?) {
        let waiters: [Waiter] = state.withLock { state in
            guard case .unknown(let waiters) = state else { return [] }
            state = .known(owner)
            return Array(waiters.values)
        }
        for waiter in waiters { waiter(owner) }
    }
}
