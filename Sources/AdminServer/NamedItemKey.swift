// SPDX-License-Identifier: Apache-2.0
package import Storage

/// The place of an item in a list that is ordered by name. The id distinguishes items of one name.
package struct NamedItemKey: Sendable {
    package let name: String
    package let id: String

    package init(name: String, id: String) { (self.name, self.id) = (name, id) }

    /// The key as text. It begins with the length of the id, because an id that a device has chosen can contain any
    /// character.
    package var text: String { "\(id.unicodeScalars.count) \(id)\(name)" }

    /// Parses a key; nil if it is not one.
    package init?(_ text: String) {
        let parts = text.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let length = Int(parts[0]), 0...parts[1].unicodeScalars.count ~= length else {
            return nil
        }
        let scalars = parts[1].unicodeScalars
        id = String(Substring(scalars.prefix(length)))
        name = String(Substring(scalars.dropFirst(length)))
    }
}

extension PageRequest {
    /// Returns the end of a statement that selects the page of a list that is ordered by name: conditions that begin with
    /// `AND`, the order and the limit.
    ///
    /// - Parameters:
    ///   - name: the column of the name.
    ///   - id: the column of the id.
    /// - Throws: ``OperationRefusal`` if ``after`` is not the key of such a list.
    package func selection<Column: ColumnName>(orderedBy name: Column, _ id: Column) throws -> SQL {
        let filtered = filter(by: name)
        let (name, id): (SQL, SQL) = (SQL(stringLiteral: name.rawValue), SQL(stringLiteral: id.rawValue))
        guard let after else { return "\(filtered) ORDER BY \(name), \(id) LIMIT \(limit + 1)" }
        guard let key = NamedItemKey(after) else { throw Self.unknownPlace }
        return """
            \(filtered) AND (\(name), \(id)) > (\(key.name), \(key.id)) ORDER BY \(name), \(id) LIMIT \(limit + 1)
            """
    }
}
