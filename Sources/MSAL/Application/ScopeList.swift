// SPDX-License-Identifier: Apache-2.0

/// A list of scopes: trimmed, without duplicates (ignoring case), in the order of first appearance.
struct ScopeList: Equatable {
    let texts: [String]

    init(_ texts: [String]) {
        var seen: Set<String> = []
        self.texts = texts.map { $0.trimmingCharacters(in: .whitespacesAndNewlines) }
            .filter { !$0.isEmpty && seen.insert($0.lowercased()).inserted }
    }

    /// Checks the scopes that an app requests (INT-2).
    init(asked: [String], by client: String) throws(Fault) {
        let trimmed = asked.map { $0.trimmingCharacters(in: .whitespacesAndNewlines) }
        guard trimmed.allSatisfy({ !$0.isEmpty && !$0.contains(where: \.isWhitespace) }) else {
            throw Fault(.scopeMalformed)
        }
        let reserved = Self.added.union([client.lowercased()])
        guard trimmed.allSatisfy({ !reserved.contains($0.lowercased()) }) else { throw Fault(.scopeReserved) }
        self.init(asked)
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
    var withoutProtocol: [String] { texts.filter { !Self.added.union([Self.email]).contains($0.lowercased()) } }

    private static let added: Set<String> = ["openid", "profile", "offline_access"]
    private static let email = "email"
    private static let everything = ".default"
}
