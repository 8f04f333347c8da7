// SPDX-License-Identifier: Apache-2.0
import Dispatch

/// Holds threads until it is opened for as many as have to pass.
final class Gate: Sendable {
    private let semaphore = DispatchSemaphore(value: 0)

    func pass() { semaphore.wait() }
    func open(times: Int = 1) { for _ in 0..<times { semaphore.signal() } }
}
