// SPDX-License-Identifier: Apache-2.0
package import Storage

/// The identity database's history. Each feature keeps its steps in a file of its own; their order here is forever.
package enum Schema {
    package static let migrations: [Migration] = directory + sessions + audit + devices
}
