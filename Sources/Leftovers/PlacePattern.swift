// SPDX-License-Identifier: Apache-2.0

/// The pattern of a place, parsed once: an audit compares every file of a device with every place.
struct PlacePattern: Sendable {
    /// The parts of the pattern between its `*`; there is at least one.
    private let words: [[UInt8]]
    /// The folder of a pattern that ends with `/*` and has no other `*`.
    private let folder: [UInt8]?

    init(_ pattern: String) {
        words = pattern.utf8.split(separator: UInt8(ascii: "*"), omittingEmptySubsequences: false).map(Array.init)
        folder = words.count == 2 && pattern.hasSuffix("/*") ? Array(pattern.utf8.dropLast(2)) : nil
    }

    /// Whether the bytes of a path, or of a name below the place's folder, match the pattern; see
    /// ``Leftover/Place/matches(_:)``.
    func matches(_ name: ArraySlice<UInt8>) -> Bool {
        let (front, back) = (words[0], words[words.count - 1])
        guard words.count > 1 else { return name.elementsEqual(front) }
        if let folder, name.elementsEqual(folder) { return true }
        guard name.starts(with: front) else { return false }
        var rest = name.dropFirst(front.count)
        for word in words.dropFirst().dropLast() {
            guard let found = rest.firstRange(of: word) else { return false }
            rest = rest[found.upperBound...]
        }
        return rest.count >= back.count && rest.suffix(back.count).elementsEqual(back)
    }
}
