// SPDX-License-Identifier: Apache-2.0
import Dispatch

/// A gate that blocks threads. Each opening lets one thread pass.
final class Gate: Sendable {
    private let semaphore = DispatchSemaphore(value: 0)

    func pass() { semaphore.wait() }
    func open(times: Int = 1) { for _ in 0..<times { semaphore.signal() } }
}
