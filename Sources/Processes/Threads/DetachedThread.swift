// SPDX-License-Identifier: Apache-2.0
internal import Dispatch
internal import Synchronization

/// The thread that starts all programs that must not outlive this process.
///
/// The kernel sends a parent-death signal when the *thread* that started the program ends (`PR_SET_PDEATHSIG` in
/// prctl(2)). This thread therefore never ends.
enum DetachedThread {
    private static let work: Result<Mailbox<@Sendable () -> Void>, ThreadFailure> = Result {
        () throws(ThreadFailure) in
        let work = Mailbox<@Sendable () -> Void>()
        try BlockingThread.start { while true { work.take()() } }
        return work
    }

    /// Runs `body` on that thread and waits for its result.
    ///
    /// - Throws: ``ThreadFailure`` if the thread cannot be created.
    static func run<Value: Sendable>(_ body: @escaping @Sendable () -> Value) throws(ThreadFailure) -> Value {
        let work = try work.get()
        let done = DispatchSemaphore(value: 0)
        let result = Slot<Value>()
        work.post {
            result.value.withLock { $0 = body() }
            done.signal()
        }
        while true {
            done.wait()
            if let value = result.value.withLock({ $0 }) { return value }
        }
    }

    private final class Slot<Value: Sendable>: Sendable {
        let value = Mutex<Value?>(nil)
    }
}
