// SPDX-License-Identifier: Apache-2.0

/// The operator's settings for signing keys.
package struct KeyConfiguration: Sendable {
    /// How long a new key is published before it signs. This must be longer than the time for which clients cache a key
    /// set.
    package var publication: Duration = .seconds(2 * 86400)
    /// How long a key signs before it gets a successor.
    package var age: Duration = .seconds(90 * 86400)

    package init() {}
}
