// SPDX-License-Identifier: Apache-2.0

/// What a session process has counted since its last report. Contains only names that the protocol defines, and no id
/// of an app or a worker.
package struct SessionCounts: Sendable, Codable, Equatable {
    /// The requests of apps, by operation.
    package var requests: [String: Int] = [:]
    /// The requests that were answered with an error, by the error's number.
    package var errors: [Int: Int] = [:]
    /// The connections that apps opened.
    package var opened = 0
    /// The connections that were refused or ended because of a limit.
    package var limited = 0
    /// The connections that are open now.
    package var open = 0

    package init() {}

    /// Whether nothing has happened.
    package var isEmpty: Bool { requests.isEmpty && errors.isEmpty && opened == 0 && limited == 0 }
}
