// SPDX-License-Identifier: Apache-2.0

/// A list of scopes: trimmed, without duplicates (ignoring case), in the order of first appearance.
struct ScopeList: Equatable {
    let texts: [String]

    init(_ texts: [String]) { self.init(trimmed: texts.map(\.trimmed)) }

    private init(trimmed texts: [String]) {
        var seen: Set<String> = []
        self.texts = texts.filter { !$0.isEmpty && seen.insert($0.lowercased()).inserted }
    }

    /// Checks the scopes that an app requests (INT-2).
    init(asked: [String], by client: String) throws(Fault) {
        let trimmed = asked.map(\.trimmed)
        guard trimmed.allSatisfy({ !$0.isEmpty && !$0.containsWhitespace }) else { throw Fault(.scopeMalformed) }
        let client = client.lowercased()
        let isReserved = trimmed.contains { scope in
            let scope = scope.lowercased()
            return scope == client || Self.added.contains(scope)
        }
        guard !isReserved else { throw Fault(.scopeReserved) }
        self.init(trimmed: trimmed)
    }

    /// Returns the scopes of this list that are missing in `granted` (INT-9).
    ///
    /// `email` counts as granted. `.default` counts as granted if any other scope was.
    func declined(where granted: ScopeList) -> [String] {
        let known = Set(granted.texts.map { $0.lowercased() })
        return texts.filter { text in
            let text = text.lowercased()
            guard text != Self.email, !known.contains(text) else { return false }
            guard text.hasSuffix(Self.everything) else { return true }
            return granted.withoutProtocol.isEmpty
        }
    }

    /// The scopes without those that the library adds and without `email` (INT-9).
    var withoutProtocol: [String] {
        texts.filter { text in
            let text = text.lowercased()
            return text != Self.email && !Self.added.contains(text)
        }
    }

    private static let added: Set<String> = ["openid", "profile", "offline_access"]
    private static let email = "email"
    private static let everything = ".default"
}

extension String {
    /// The text without leading and trailing whitespace. Calls Foundation only if the text may contain whitespace.
    fileprivate var trimmed: String {
        isPlain ? self : trimmingCharacters(in: .whitespacesAndNewlines)
    }

    fileprivate var containsWhitespace: Bool { !isPlain && contains(where: \.isWhitespace) }

    /// Whether the text has only visible ASCII characters, as nearly all scopes do.
    private var isPlain: Bool { utf8.allSatisfy { (0x21...0x7e).contains($0) } }
}
