// SPDX-License-Identifier: Apache-2.0

/// Runs a call that blocks on a thread of its own, so that no thread of the cooperative pool waits in it.
package func blocking<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
        do { try BlockingThread.start { continuation.resume(with: Result { try body() }) } } catch {
            continuation.resume(throwing: error)
        }
    }
}
