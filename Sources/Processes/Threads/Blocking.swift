// SPDX-License-Identifier: Apache-2.0

/// Runs a blocking call on its own thread, so that it does not block a thread of the cooperative pool.
package func blocking<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
        do { try BlockingThread.start { continuation.resume(with: Result { try body() }) } } catch {
            continuation.resume(throwing: error)
        }
    }
}
