// SPDX-License-Identifier: Apache-2.0
package import Storage

/// The identity database's history. Each feature keeps its steps in a file of its own, and each list may grow at its end;
/// a step may need only what stands before it here.
package enum Schema {
    package static let migrations: [Migration] =
        directory + sessions + audit + devices + passwords + clients
        + deviceRegistration + auditOrigin + groups
        + tokens + receipts + offline + browsers
}
