// SPDX-License-Identifier: Apache-2.0

/// A configuration that cannot be used: the key, the cause and the remedy.
package struct ConfigurationFailure: Error, Equatable, CustomStringConvertible {
    package let key: String
    package let cause: String
    package let remedy: String

    package init(key: String, cause: String, remedy: String) {
        self.key = key
        self.cause = cause
        self.remedy = remedy
    }

    package var description: String { "\(key) \(cause). \(remedy)" }
}
