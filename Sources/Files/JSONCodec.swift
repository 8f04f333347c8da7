// SPDX-License-Identifier: Apache-2.0
internal import JSON

/// Encodes and decodes the device's small files.
package enum JSONCodec {
    private static let limits = JSONLimits(bytes: 1 << 20, values: 64 << 10)

    package static func bytes(_ value: some Encodable) throws -> [UInt8] { try JSONWriter.encode(value) }

    package static func read<Value: Decodable>(_ type: Value.Type, _ bytes: [UInt8]) throws -> Value {
        try JSONReader.read(type, from: bytes, limits: limits)
    }
}
