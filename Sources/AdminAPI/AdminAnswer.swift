// SPDX-License-Identifier: Apache-2.0
internal import Foundation

/// The JSON encoding of the administration's responses.
package enum AdminAnswer {
    /// Returns a value as JSON with sorted keys.
    package static func json(_ value: some Encodable) throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return Array(try encoder.encode(value))
    }
}
