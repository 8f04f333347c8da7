// SPDX-License-Identifier: Apache-2.0

/// The `api-version` of a device join.
package enum RegistrationVersion: String, Sendable {
    case one = "1.0"
    case two = "2.0"
    /// Uses P-256 keys.
    case three = "3.0"
}
