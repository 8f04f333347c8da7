// SPDX-License-Identifier: Apache-2.0

/// A recent sign-in of a worker with the server, in a browser that was new to this session.
///
/// A worker can set a PIN only after such a sign-in. A person who finds an unattended device with an open session has
/// not signed in, and therefore cannot set a PIN.
package struct RecentSignIn: Sendable, Equatable {
    /// How long after the sign-in a PIN may be set.
    package static let patience = Duration.seconds(180)

    private let end: ContinuousClock.Instant

    /// - Parameter moment: when the worker was authenticated.
    package init(at moment: ContinuousClock.Instant) { end = moment + Self.patience }

    /// The remaining time; nil once it is over.
    package func left(at moment: ContinuousClock.Instant) -> Duration? { moment < end ? end - moment : nil }
}
