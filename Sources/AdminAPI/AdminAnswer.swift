// SPDX-License-Identifier: Apache-2.0
internal import Foundation

/// How answers of the administration are written.
package enum AdminAnswer {
    /// A value as JSON, its members in order.
    package static func json(_ value: some Encodable) throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return Array(try encoder.encode(value))
    }
}
