// SPDX-License-Identifier: Apache-2.0
package import Storage

/// A database that wraps another one. It changes some calls and passes the others on.
package protocol DatabaseLayer: Database {
    var database: any Database { get }
}

extension DatabaseLayer {
    package var isShared: Bool { database.isShared }

    package func read<T: Sendable>(_ body: @escaping @Sendable (any Connection) throws -> T) async throws -> T {
        try await database.read(body)
    }

    @discardableResult
    package func write<T: Sendable>(_ body: @escaping @Sendable (any Connection) throws -> T) async throws -> T {
        try await database.write(body)
    }

    package func observe(_ observer: @escaping @Sendable (any Announcement) -> Void) { database.observe(observer) }

    package func exclusively<T: Sendable>(_ job: String, _ body: @Sendable () async throws -> T) async throws -> T? {
        try await database.exclusively(job, body)
    }

    package func serverTime() async throws -> Timestamp? { try await database.serverTime() }
}
