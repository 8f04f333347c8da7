// SPDX-License-Identifier: Apache-2.0
internal import CPostgreSQL
internal import Storage

/// The values of one statement as libpq sends them: binary, with their lengths and types.
struct BoundValues {
    private let bytes: [UInt8]
    /// Where each value begins in `bytes`; nil for NULL.
    private let offsets: [Int?]
    private let lengths: [Int32]
    let types: [Oid]

    /// - Throws: ``Failure`` for a text with U+0000, which PostgreSQL cannot store.
    init(_ values: [SQL.Value]) throws(Failure) {
        var bytes: [UInt8] = []
        var offsets: [Int?] = []
        var lengths: [Int32] = []
        for value in values {
            let start = bytes.count
            switch value {
            case .null: break
            case .integer(let number):
                for shift in stride(from: 56, through: 0, by: -8) {
                    bytes.append(UInt8(truncatingIfNeeded: number >> Int64(shift)))
                }
            case .text(let text):
                bytes += text.utf8
                guard !bytes[start...].contains(0) else {
                    throw Failure(.refused, as: .unexpectedValue, "a text contains the character U+0000")
                }
            case .blob(let blob): bytes += blob
            }
            offsets.append(value == .null ? nil : start)
            lengths.append(Int32(clamping: bytes.count - start))
        }
        // Even an empty value needs an address, because libpq interprets a null pointer as NULL.
        bytes.append(0)
        (self.bytes, self.offsets, self.lengths) = (bytes, offsets, lengths)
        types = values.map(Self.type)
    }

    static func type(of value: SQL.Value) -> Oid {
        switch value {
        case .null: DataType.inferred
        case .integer: DataType.int8
        case .text: DataType.text
        case .blob: DataType.bytea
        }
    }

    /// Passes the values, their lengths and their formats to `body`.
    func withPointers<R>(
        _ body: (
            UnsafePointer<UnsafePointer<CChar>?>?, UnsafePointer<Int32>?, UnsafePointer<Int32>?
        ) -> R
    ) -> R {
        unsafe bytes.withUnsafeBytes { bytes in
            let base = unsafe bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
            let values = unsafe offsets.map { offset in unsafe offset.flatMap { unsafe base?.advanced(by: $0) } }
            let formats = [Int32](repeating: 1, count: offsets.count)
            return unsafe values.withUnsafeBufferPointer { values in
                unsafe body(values.baseAddress, lengths, formats)
            }
        }
    }
}
