// SPDX-License-Identifier: Apache-2.0

/// That a worker has just shown the server who they are, in a browser that nobody had used before.
///
/// Only so is a PIN set: who finds a device that somebody left open has not signed in, and sets none.
package struct RecentSignIn: Sendable, Equatable {
    /// For how long after the sign-in a PIN may be set.
    package static let patience = Duration.seconds(180)

    private let end: ContinuousClock.Instant

    /// - Parameter moment: when the worker was known.
    package init(at moment: ContinuousClock.Instant) { end = moment + Self.patience }

    /// What is left of it; nil once it is over.
    package func left(at moment: ContinuousClock.Instant) -> Duration? { moment < end ? end - moment : nil }
}
