// SPDX-License-Identifier: Apache-2.0

/// Finds the intended name for a misspelt one.
enum Spelling {
    /// Returns the known name that is most similar to `text`: the two differ in at most two letters, apart from
    /// capitals, hyphens and underscores. Returns nil if `text` is itself a known name, or is similar to none of them.
    static func meant(by text: String, among known: some Sequence<String>) -> String? {
        guard !known.contains(text), text.utf8.count <= 256 else { return nil }
        let folded = folded(text)
        return known.map { ($0, distance(folded, Self.folded($0))) }.filter { $0.1 <= 2 }.min { $0.1 < $1.1 }?.0
    }

    private static func folded(_ text: String) -> [UInt8] {
        text.lowercased().utf8.filter { $0 != UInt8(ascii: "_") && $0 != UInt8(ascii: "-") }
    }

    /// Returns the number of letters to add, remove or change (Levenshtein distance).
    private static func distance(_ one: [UInt8], _ other: [UInt8]) -> Int {
        var row = Array(0...other.count)
        for (line, letter) in one.enumerated() {
            var diagonal = row[0]
            row[0] = line + 1
            for (column, candidate) in other.enumerated() {
                let changed = diagonal + (letter == candidate ? 0 : 1)
                diagonal = row[column + 1]
                row[column + 1] = min(changed, diagonal + 1, row[column] + 1)
            }
        }
        return row[other.count]
    }
}
