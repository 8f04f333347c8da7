// SPDX-License-Identifier: Apache-2.0
package import Storage

/// A database as a node among several sees it: other nodes write to it, and their announcements do not arrive.
package struct SharedDatabase: Database {
    private let database: any Database

    package init(_ database: any Database) { self.database = database }

    package var isShared: Bool { true }

    package func read<T: Sendable>(_ body: @escaping @Sendable (any Connection) throws -> T) async throws -> T {
        try await database.read(body)
    }

    @discardableResult
    package func write<T: Sendable>(_ body: @escaping @Sendable (any Connection) throws -> T) async throws -> T {
        try await database.write(body)
    }

    package func observe(_ observer: @escaping @Sendable (any Announcement) -> Void) {}

    package func exclusively<T: Sendable>(_ job: String, _ body: @Sendable () async throws -> T) async throws -> T? {
        try await database.exclusively(job, body)
    }

    package func serverTime() async throws -> Timestamp? { try await database.serverTime() }
}
