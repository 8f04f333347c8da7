// SPDX-License-Identifier: Apache-2.0

/// Searches for all canaries in all encodings in one pass.
///
/// A filter holds the possible first four bytes of all encodings. If bytes pass the filter, which is rare, the
/// encodings with this beginning are compared in full.
package struct Needles: Sendable {
    /// A canary in one encoding.
    struct Needle: Sendable {
        let canary: String
        let encoding: String
        fileprivate let raw: [UInt8]
        fileprivate let parts: [[[UInt8]]]
    }

    /// The canaries' names, sorted.
    package let names: [String]
    /// The length of the longest canary in any encoding.
    let longest: Int
    private let needles: [Needle]
    private let byBeginning: [UInt32: [Int]]
    private let filter: [UInt64]

    private static let hashBits: UInt32 = 18

    package init(_ canaries: [String: Canary]) {
        names = canaries.keys.sorted()
        let all = canaries.sorted { $0.key < $1.key }.flatMap { name, canary in
            Encodings.all(of: canary).map { Needle(canary: name, encoding: $0.name, raw: canary.raw, parts: $0.parts) }
        }
        var byBeginning: [UInt32: [Int]] = [:]
        var filter = [UInt64](repeating: 0, count: 1 << (Self.hashBits - 6))
        for (index, needle) in all.enumerated() {
            for beginning in needle.beginnings {
                byBeginning[beginning, default: []].append(index)
                let hash = Self.hash(beginning)
                filter[hash >> 6] |= 1 << UInt64(hash & 63)
            }
        }
        needles = all
        longest = all.map(\.longest).max() ?? 0
        self.byBeginning = byBeginning
        self.filter = filter
    }

    private static func hash(_ beginning: UInt32) -> Int { Int((beginning &* 0x9E37_79B1) >> (32 - hashBits)) }

    /// Calls `found` for each needle that begins in the first `limit` bytes of the window, in order.
    func search(_ window: Span<UInt8>, limit: Int, found: (_ offset: Int, _ needle: Needle) -> Void) {
        guard window.count >= 4 else { return }
        let filter = filter.span
        var beginning = UInt32(window[0]) << 8 | UInt32(window[1]) << 16 | UInt32(window[2]) << 24
        // No needle begins in the last three bytes, since every needle is longer.
        for offset in 0..<min(limit, window.count - 3) {
            beginning = beginning >> 8 | UInt32(window[offset + 3]) << 24
            let hash = Self.hash(beginning)
            if filter[hash >> 6] >> UInt64(hash & 63) & 1 != 0, let indices = byBeginning[beginning] {
                for index in indices where needles[index].stands(in: window, at: offset) {
                    found(offset, needles[index])
                }
            }
        }
    }

    /// Returns the text with its canaries removed.
    func hidden(_ text: String) -> String {
        let bytes = Array(text.utf8)
        var ends: [Int: Int] = [:]
        search(bytes.span, limit: bytes.count) { offset, needle in
            ends[offset] = max(ends[offset] ?? 0, needle.end(in: bytes.span, at: offset) ?? 0)
        }
        guard !ends.isEmpty else { return text }
        var (kept, offset): ([UInt8], Int) = ([], 0)
        while offset < bytes.count {
            if let end = ends[offset] {
                kept += Array("<canary>".utf8)
                offset = end
            } else {
                kept.append(bytes[offset])
                offset += 1
            }
        }
        return String(decoding: kept, as: UTF8.self)
    }
}

extension Needles.Needle {
    fileprivate var longest: Int { parts.reduce(0) { $0 + ($1.map(\.count).max() ?? 0) } }

    /// The possible first four bytes of the needle, the first of them in the lowest byte.
    fileprivate var beginnings: Set<UInt32> {
        var whole: Set<UInt32> = []
        var open: Set<[UInt8]> = [[]]
        for part in parts where !open.isEmpty {
            let longer = open.flatMap { beginning in part.map { beginning + $0.prefix(4) } }
            open = Set(longer.filter { $0.count < 4 })
            for bytes in longer where bytes.count >= 4 {
                whole.insert(bytes[..<4].reversed().reduce(0) { $0 << 8 | UInt32($1) })
            }
        }
        return whole
    }

    /// Whether the needle begins at `offset`. Bytes that equal the raw canary count only for the encoding `raw`.
    fileprivate func stands(in window: Span<UInt8>, at offset: Int) -> Bool {
        guard let end = end(in: window, at: offset) else { return false }
        return encoding == "raw" || end - offset != raw.count || !Self.isEqual(window, offset, raw)
    }

    /// The end of the needle in the window if it begins at `offset`.
    fileprivate func end(in window: Span<UInt8>, at offset: Int) -> Int? { end(in: window, at: offset, part: 0) }

    private func end(in window: Span<UInt8>, at offset: Int, part: Int) -> Int? {
        guard part < parts.count else { return offset }
        for form in parts[part] where Self.isEqual(window, offset, form) {
            if let end = end(in: window, at: offset + form.count, part: part + 1) { return end }
        }
        return nil
    }

    private static func isEqual(_ window: Span<UInt8>, _ offset: Int, _ bytes: [UInt8]) -> Bool {
        guard offset + bytes.count <= window.count else { return false }
        for index in bytes.indices where window[offset + index] != bytes[index] { return false }
        return true
    }
}
