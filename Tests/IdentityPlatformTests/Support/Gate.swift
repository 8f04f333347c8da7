// SPDX-License-Identifier: Apache-2.0
import Dispatch

/// Blocks threads until it has been opened for as many as must pass.
final class Gate: Sendable {
    private let semaphore = DispatchSemaphore(value: 0)

    func pass() { semaphore.wait() }
    func open(times: Int = 1) { for _ in 0..<times { semaphore.signal() } }
}
