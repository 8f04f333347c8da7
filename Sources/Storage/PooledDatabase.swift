// SPDX-License-Identifier: Apache-2.0

/// A database with a bounded number of connections, which transactions share.
package protocol PooledDatabase: Database {
    /// The present use of the connections.
    var load: PoolLoad { get }
}

/// How busy a pool of connections is.
package struct PoolLoad: Sendable, Equatable {
    /// The maximum number of connections.
    package let limit: Int
    /// The connections that a transaction uses now.
    package let inUse: Int
    /// The transactions that wait for a connection.
    package let waiting: Int
    /// How often a transaction was repeated because it conflicted with another one.
    package let conflicts: Int
    /// How often a transaction was repeated because its connection was lost.
    package let losses: Int

    package init(limit: Int, inUse: Int, waiting: Int, conflicts: Int, losses: Int) {
        (self.limit, self.inUse, self.waiting) = (limit, inUse, waiting)
        (self.conflicts, self.losses) = (conflicts, losses)
    }
}
