// SPDX-License-Identifier: Apache-2.0
internal import Processes
internal import Storage

/// Runs the jobs of one actor on a thread of its own, which may block. The thread ends with this object.
final class ThreadExecutor: SerialExecutor {
    private enum Message {
        case run(UnownedJob, ThreadExecutor)
        case end
    }

    private let messages = Mailbox<Message>()

    /// - Throws: ``Failure`` if the process cannot create another thread.
    init() throws(Failure) {
        do throws(ThreadFailure) {
            try BlockingThread.start { [messages] in
                while case .run(let job, let executor) = messages.take() {
                    unsafe job.runSynchronously(on: executor.asUnownedSerialExecutor())
                }
            }
        } catch {
            throw Failure(
                .unavailable, as: .unavailable, "the process cannot create another thread, errno \(error.errno)")
        }
    }

    deinit { messages.post(.end) }

    func enqueue(_ job: consuming ExecutorJob) { messages.post(.run(UnownedJob(job), self)) }
}
