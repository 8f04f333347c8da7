// SPDX-License-Identifier: Apache-2.0
internal import Dispatch

/// A serial queue for calls that block on the disk or the TPM, so that they do not block a thread of the cooperative
/// pool.
package final class BlockingQueue: Sendable {
    private let queue: DispatchQueue

    package init(label: String) { queue = DispatchQueue(label: label) }

    /// Runs `body` after everything that was submitted before, and returns its result.
    package func run<T: Sendable>(_ body: @escaping @Sendable () throws -> T) async throws -> T {
        try await withCheckedThrowingContinuation { continuation in
            queue.async { continuation.resume(with: Result { try body() }) }
        }
    }
}
