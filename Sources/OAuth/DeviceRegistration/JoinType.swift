// SPDX-License-Identifier: Apache-2.0

/// The `JoinType` of a join request.
package enum JoinType: Int, Sendable {
    /// A device of the organisation.
    case join = 0
    /// A worker's own device, which is only registered.
    case register = 4
}
