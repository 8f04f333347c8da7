// SPDX-License-Identifier: Apache-2.0
internal import Storage

extension ID {
    /// The bytes in Microsoft's order: the first three groups reversed.
    var littleEndianBytes: [UInt8] {
        let bytes = bytes
        return bytes[0..<4].reversed() + bytes[4..<6].reversed() + bytes[6..<8].reversed() + bytes[8..<16]
    }

    /// Takes 16 bytes in that order.
    init(littleEndianBytes bytes: [UInt8]) {
        self.init(bytes: ID(bytes: bytes).littleEndianBytes)
    }
}
