// SPDX-License-Identifier: Apache-2.0
import Dispatch
import Foundation
import Synchronization
import Testing

/// ThreadSanitizer reports a real race, and reports none for a value behind a contended `Mutex`.
///
/// Each program runs in its own process, which exits with ThreadSanitizer's code 66 if a race was reported.
struct RaceDetectionTests {
    @Test func `a value that threads change without a lock is reported as a race`() async {
        await #expect(processExitsWith: .exitCode(66)) {
            let counter = Unguarded()
            inTwoThreads { counter.value += 1 }
        }
    }

    @Test func `a value that is also changed outside its Mutex is reported as a race`() async {
        await #expect(processExitsWith: .exitCode(66)) {
            let (counter, lock) = (Unguarded(), Guarded())
            inTwoThreads {
                lock.value.withLock { _ in counter.value += 1 }
                counter.value += 1
            }
        }
    }

    @Test func `a value behind a contended Mutex is not reported as a race`() async {
        await #expect(processExitsWith: .success) {
            let counter = Guarded()
            inTwoThreads { for _ in 0..<200_000 { counter.value.withLock { $0 += 1 } } }
            precondition(counter.value.withLock { $0 } == 400_000)
        }
    }
}

private final class Guarded: Sendable {
    let value = Mutex(0)
}

/// A deliberate race.
private final class Unguarded: @unchecked Sendable {
    var value = 0
}

/// Runs `body` in two threads that do not synchronize with each other, and waits for both.
private func inTwoThreads(_ body: @escaping @Sendable () -> Void) {
    let ended = DispatchSemaphore(value: 0)
    for _ in 0..<2 {
        Thread {
            body()
            ended.signal()
        }.start()
    }
    for _ in 0..<2 { ended.wait() }
}
