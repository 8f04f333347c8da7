// SPDX-License-Identifier: Apache-2.0
internal import JSON
internal import Storage

/// The requested part of a list.
struct GraphPage<Item>: Sendable {
    /// The filter as a database condition. It is empty or starts with ` AND `.
    let condition: SQL
    /// The same filter for items in memory.
    let matches: @Sendable (Item) -> Bool
    /// The key of the last item on the previous page.
    let after: String?
    let limit: Int
}

/// A paged list. Its items are sorted by key, so an item that exists from the first request to the last is on exactly
/// one page.
struct GraphList<Item: Sendable>: Sendable {
    /// Returns at most `limit` items that match the filter and follow the key `after`.
    let items: @Sendable (GraphPage<Item>, any Connection) throws -> [Item]
    /// Returns how many items match the filter, counted over all pages.
    let count: @Sendable (GraphPage<Item>, any Connection) throws -> Int

    /// Creates a list of the items whose keys are in a column. Each item is looked up by its key.
    static func rows<Source: Table>(
        of source: Source.Type, key: Source.Column, where scope: SQL,
        find: @escaping @Sendable (String, any Connection) throws -> Item?
    ) -> GraphList {
        GraphList { page, connection in
            let keys: [String] = try connection.values(
                key, of: source,
                """
                WHERE \(scope)\(page.condition) AND \(column: key) > \(page.after ?? "")
                ORDER BY \(column: key) LIMIT \(page.limit)
                """)
            return try keys.compactMap { try find($0, connection) }
        } count: { page, connection in
            try connection.count(of: source, "WHERE \(scope)\(page.condition)")
        }
    }

    /// Creates a list of a few items in memory.
    static func fixed(
        key: @escaping @Sendable (Item) -> String, _ all: @escaping @Sendable (any Connection) throws -> [Item]
    ) -> GraphList {
        GraphList { page, connection in
            let rest = try all(connection).filter { key($0) > page.after ?? "" && page.matches($0) }
            return Array(rest.sorted { key($0) < key($1) }.prefix(page.limit))
        } count: { page, connection in
            try all(connection).count(where: page.matches)
        }
    }
}
