// SPDX-License-Identifier: Apache-2.0

/// The browser of one sign-in, join or PIN: how a page is opened in it, whose it is, and when it is gone.
struct AttemptBrowser: Sendable {
    /// Asks the supervisor to open a loopback address.
    let open: @Sendable (String) throws -> Void
    /// The user whose agent opens it, as the supervisor says.
    let owner: Promise<UInt32>
    /// Settles with an error when the person closed the browser or the app gave up.
    let interruption: Promise<Void>
}
