// SPDX-License-Identifier: Apache-2.0

/// The stage of the worker's session, as far as management needs it.
package enum SessionStage: Sendable, Equatable {
    /// Nobody is signed in, and no user data is left.
    case free
    /// A sign-in or sign-out is running, or the broker does not know the state yet.
    case changing
    /// A worker is signed in.
    case held
}
