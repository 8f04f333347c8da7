// SPDX-License-Identifier: Apache-2.0
package import Storage
private import Synchronization

/// A database whose next write waits until other work is done. With it, a test lets another node write between a node's
/// decision and the node's transaction.
package struct InterleavedDatabase: DatabaseLayer {
    /// The work that is done before the next write.
    package final class Interlude: Sendable {
        private let body = Mutex<(@Sendable () async throws -> Void)?>(nil)

        package init() {}

        /// Sets the work. It runs once.
        package func set(_ body: @escaping @Sendable () async throws -> Void) { self.body.withLock { $0 = body } }

        fileprivate func run() async throws {
            let body = body.withLock { body in
                defer { body = nil }
                return body
            }
            try await body?()
        }
    }

    package let database: any Database
    private let interlude: Interlude

    package init(_ database: any Database, _ interlude: Interlude) {
        (self.database, self.interlude) = (database, interlude)
    }

    @discardableResult
    package func write<T: Sendable>(_ body: @escaping @Sendable (any Connection) throws -> T) async throws -> T {
        try await interlude.run()
        return try await database.write(body)
    }
}
