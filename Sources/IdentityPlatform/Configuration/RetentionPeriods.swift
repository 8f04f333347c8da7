// SPDX-License-Identifier: Apache-2.0

/// How long the identity platform keeps what it no longer needs for its decisions (``Housekeeping``).
package struct RetentionPeriods: Sendable {
    /// How long entries of the audit log are kept.
    package var audit: Duration = .seconds(400 * 86400)
    /// How long a session is kept after it has ended and its last credential has been deleted; at least a day, because
    /// the session's access tokens may still be valid.
    package var sessions: Duration = .seconds(86400)
    /// How long the countersigned heads of receipt chains are kept. The newest head of a chain is always kept: without
    /// it, the server could not tell whether a chain was cut or forked.
    package var receipts: Duration = .seconds(400 * 86400)

    package init() {}
}
