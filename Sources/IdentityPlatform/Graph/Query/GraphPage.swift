// SPDX-License-Identifier: Apache-2.0
internal import JSON
internal import Storage

/// Which part of a list is asked for.
struct GraphPage<Item>: Sendable {
    /// The filter for a database, a text that begins with ` AND ` or is empty.
    let condition: SQL
    /// The same filter for items at hand.
    let matches: @Sendable (Item) -> Bool
    /// The key of the last item of the page before.
    let after: String?
    let limit: Int
}

/// A list that Graph shows page by page, in an order of keys that does not change between pages: what is there from the first
/// page to the last stands on exactly one of them.
struct GraphList<Item: Sendable>: Sendable {
    /// The items that meet the filter and stand behind `after`, `limit` of them at most.
    let items: @Sendable (GraphPage<Item>, any Connection) throws -> [Item]
    /// How many items meet the filter, whatever the page.
    let count: @Sendable (GraphPage<Item>, any Connection) throws -> Int

    /// Items whose keys stand in a column; what the key names is looked up.
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

    /// A few items that are at hand.
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
