// SPDX-License-Identifier: Apache-2.0
import Foundation
import Storage
import StoragePostgreSQL
import Synchronization
import TestSupport
import Testing

/// Passes the configuration of a new, empty schema to `body`.
func withSchema<Value>(
    of cluster: PostgreSQLCluster? = nil, _ body: (PostgreSQLConfiguration) async throws -> Value
) async throws -> Value {
    let name = UUID().uuidString.replacingOccurrences(of: "-", with: "").lowercased()
    let shared = if let cluster { cluster } else { try await PostgreSQLCluster.shared() }
    return try await body(shared.configuration(schema: "test_" + name))
}

/// Returns the error that `body` must throw.
func refusal(
    _ code: StorageError.Code, by body: () async throws -> Void, sourceLocation: SourceLocation = #_sourceLocation
) async -> String {
    let error = await #expect(throws: StorageError.self, sourceLocation: sourceLocation) { try await body() }
    #expect(error?.code == code, "\(error?.message ?? "")", sourceLocation: sourceLocation)
    return error?.message ?? ""
}

/// A transaction that keeps its connection and its locks until it is released.
final class HeldTransaction: Sendable {
    private let began = DispatchSemaphore(value: 0)
    private let released = DispatchSemaphore(value: 0)

    /// Runs `body` after the transaction has run `statement` and before it is committed.
    static func with<Value: Sendable>(
        _ statement: SQL, in database: any Database, _ body: (HeldTransaction) async throws -> Value
    ) async throws -> Value {
        let held = HeldTransaction()
        async let transaction: Void = database.write { connection in
            _ = try connection.rows(statement)
            held.began.signal()
            held.released.wait()
        }
        do {
            await held.waitForBegin()
            let value = try await body(held)
            held.release()
            try await transaction
            return value
        } catch {
            held.release()
            throw error
        }
    }

    private func waitForBegin() async {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread { [began] in
                began.wait()
                continuation.resume()
            }
        }
    }

    /// Lets the transaction commit.
    func release() { released.signal() }
}

/// Counts how often something runs.
final class Counter: Sendable {
    private let count = Mutex(0)

    var value: Int { count.withLock { $0 } }

    /// Counts once more and returns the new number.
    @discardableResult
    func increment() -> Int {
        count.withLock { count in
            count += 1
            return count
        }
    }
}
