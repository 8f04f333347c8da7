// SPDX-License-Identifier: Apache-2.0

/// A list of scopes: trimmed, without duplicates (ignoring case), in the order of first appearance.
struct ScopeList: Equatable {
    let texts: [String]

    init(_ texts: [String]) { self.init(trimmed: texts.map(\.trimmed)) }

    private init(trimmed texts: [String]) {
        var unique: [String] = []
        for text in texts where !text.isEmpty && !unique.contains(scope: text) { unique.append(text) }
        self.texts = unique
    }

    /// Checks the scopes that an app requests (INT-2).
    init(asked: [String], by client: String) throws(Fault) {
        let trimmed = asked.map(\.trimmed)
        guard trimmed.allSatisfy({ !$0.isEmpty && !$0.containsWhitespace }) else { throw Fault(.scopeMalformed) }
        let isReserved = trimmed.contains { $0.isScope(client) || Self.added.contains(scope: $0) }
        guard !isReserved else { throw Fault(.scopeReserved) }
        self.init(trimmed: trimmed)
    }

    /// Returns the scopes of this list that are missing in `granted` (INT-9).
    ///
    /// `email` counts as granted. `.default` counts as granted if any other scope was granted.
    func declined(where granted: ScopeList) -> [String] {
        texts.filter { text in
            guard !text.isScope(Self.email), !granted.texts.contains(scope: text) else { return false }
            guard text.lowercased().hasSuffix(Self.everything) else { return true }
            return granted.withoutProtocol.isEmpty
        }
    }

    /// The scopes without those that the library adds and without `email` (INT-9).
    var withoutProtocol: [String] {
        texts.filter { !$0.isScope(Self.email) && !Self.added.contains(scope: $0) }
    }

    private static let added = ["openid", "profile", "offline_access"]
    private static let email = "email"
    private static let everything = ".default"
}

extension [String] {
    /// Whether the list has this scope. A list of scopes is short, so this is faster than a set.
    fileprivate func contains(scope: String) -> Bool { contains { $0.isScope(scope) } }
}

extension String {
    /// Whether both are the same scope: equal, apart from case.
    fileprivate func isScope(_ other: String) -> Bool {
        if self == other { return true }
        guard isPlain && other.isPlain else { return lowercased() == other.lowercased() }
        return utf8.count == other.utf8.count && utf8.elementsEqual(other.utf8) { $0.lowercased == $1.lowercased }
    }

    /// The text without leading and trailing whitespace. Calls Foundation only if the text may contain whitespace.
    fileprivate var trimmed: String {
        isPlain ? self : trimmingCharacters(in: .whitespacesAndNewlines)
    }

    fileprivate var containsWhitespace: Bool { !isPlain && contains(where: \.isWhitespace) }

    /// Whether the text has only visible ASCII characters, as nearly all scopes do.
    private var isPlain: Bool { utf8.allSatisfy { (0x21...0x7e).contains($0) } }
}

extension UInt8 {
    /// The ASCII character in lower case.
    fileprivate var lowercased: UInt8 { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(self) ? self | 0x20 : self }
}
