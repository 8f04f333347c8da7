// SPDX-License-Identifier: Apache-2.0

/// The version of this broker and of the programs released with it.
package enum BrokerVersion {
    package static let current = "0.1.0"
}
