// SPDX-License-Identifier: Apache-2.0

/// `api-version` of a device join.
package enum RegistrationVersion: String, Sendable {
    case one = "1.0"
    case two = "2.0"
    /// Keys on P-256.
    case three = "3.0"
}
