// SPDX-License-Identifier: Apache-2.0

/// The format of a row in a backup: 4 bytes with the length of the rest, then the values. Each value begins with a byte
/// for its kind. For an integer, 8 bytes follow. For a text or a blob, 4 bytes with its length follow, and then the
/// text or the blob itself. Numbers begin with their most significant byte.
enum RowCoding {
    private enum Kind: UInt8 { case null, integer, text, blob }

    static let lengthSize = 4
    /// The maximum length of a row. The values that the server accepts are much shorter.
    static let maximumLength = 256 << 20

    /// - Throws: ``TransferError`` `valueUnsupported` if the row is too long.
    static func append(_ row: [SQL.Value], to bytes: inout [UInt8]) throws {
        let start = bytes.count
        bytes += [0, 0, 0, 0]
        for value in row {
            switch value {
            case .null: bytes.append(Kind.null.rawValue)
            case .integer(let number):
                bytes.append(Kind.integer.rawValue)
                append(UInt64(bitPattern: number), size: 8, to: &bytes)
            case .text(let text):
                bytes.append(Kind.text.rawValue)
                append(UInt64(text.utf8.count), size: 4, to: &bytes)
                bytes += text.utf8
            case .blob(let blob):
                bytes.append(Kind.blob.rawValue)
                append(UInt64(blob.count), size: 4, to: &bytes)
                bytes += blob
            }
        }
        let length = bytes.count - start - lengthSize
        guard length <= maximumLength else { throw TransferError(.valueUnsupported, "a row is too long for a backup") }
        for place in 0..<lengthSize { bytes[start + place] = UInt8(truncatingIfNeeded: length >> (24 - 8 * place)) }
    }

    /// Decodes the values of a row, without its length; nil if they are malformed.
    static func row(_ bytes: [UInt8]) -> [SQL.Value]? {
        var (rest, row) = (bytes[...], [SQL.Value]())
        while let kind = rest.popFirst() {
            switch Kind(rawValue: kind) {
            case .null: row.append(.null)
            case .integer:
                guard let number = number(&rest, size: 8) else { return nil }
                row.append(.integer(Int64(bitPattern: number)))
            case .text:
                guard let content = content(&rest), let text = String(validating: content, as: UTF8.self) else {
                    return nil
                }
                row.append(.text(text))
            case .blob:
                guard let content = content(&rest) else { return nil }
                row.append(.blob(Array(content)))
            case nil: return nil
            }
        }
        return row
    }

    static func length(_ bytes: [UInt8]) -> Int? {
        var rest = bytes[...]
        return number(&rest, size: lengthSize).map { Int($0) }
    }

    private static func append(_ number: UInt64, size: Int, to bytes: inout [UInt8]) {
        for place in 0..<size { bytes.append(UInt8(truncatingIfNeeded: number >> UInt64(8 * (size - 1 - place)))) }
    }

    private static func number(_ rest: inout ArraySlice<UInt8>, size: Int) -> UInt64? {
        guard rest.count >= size else { return nil }
        defer { rest = rest.dropFirst(size) }
        return rest.prefix(size).reduce(0) { $0 << 8 | UInt64($1) }
    }

    private static func content(_ rest: inout ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        guard let length = number(&rest, size: 4), rest.count >= Int(length) else { return nil }
        defer { rest = rest.dropFirst(Int(length)) }
        return rest.prefix(Int(length))
    }
}
