// SPDX-License-Identifier: Apache-2.0

/// `JoinType` of a join request.
package enum JoinType: Int, Sendable {
    /// The organisation's own device.
    case join = 0
    /// A worker's device, registered only.
    case register = 4
}
