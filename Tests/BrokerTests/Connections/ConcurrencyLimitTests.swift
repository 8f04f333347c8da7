// SPDX-License-Identifier: Apache-2.0
import BrokerSession
import DeviceSettings
import Processes
import SessionIPC
import Synchronization
import Testing

/// The limit on how many messages of one process are answered at the same time.
@Suite struct ConcurrencyLimitTests {
    private final class Message: Sendable {}

    /// Messages whose answers run until the test ends them.
    private final class Answers: Sendable {
        let limit = ConcurrencyLimit()
        let begun = Atomic(0)
        private let end = Promise<Void>()

        func letEnd() { end.settle(.success(())) }

        /// Begins to answer on a separate thread. The promise is settled with whether the message was answered.
        func begin(_ message: Message, of process: AppProcess) throws -> Promise<Bool> {
            let answered = Promise<Bool>()
            try BlockingThread.start { [self] in
                let outcome: Bool? = limit.run(ObjectIdentifier(message), of: process) {
                    begun.add(1, ordering: .relaxed)
                    try? end.wait()
                    return true
                }
                answered.settle(.success(outcome ?? false))
            }
            return answered
        }

        /// Waits until `count` messages are being answered or are waiting for their turn.
        func see(_ count: Int, of process: AppProcess) async {
            while begun.load(ordering: .relaxed) + limit.waiting(of: process) < count { await Task.yield() }
        }
    }

    private func process(_ number: Int32) -> AppProcess { AppProcess(user: 1000, identity: .session, number: number) }

    @Test func `two messages of a process are answered at once, further ones wait, and other processes do not`()
        async throws
    {
        let (answers, messages) = (Answers(), (0..<4).map { _ in Message() })
        let (greedy, modest) = (process(1), process(2))
        var outcomes: [Promise<Bool>] = []
        for (count, message) in messages.enumerated() {
            outcomes.append(try answers.begin(message, of: greedy))
            await answers.see(count + 1, of: greedy)
        }
        try #require(answers.begun.load(ordering: .relaxed) == 2 && answers.limit.waiting(of: greedy) == 2)
        #expect(answers.limit.run(ObjectIdentifier(answers), of: modest) { true } == true)
        // A connection that ends leaves the queue.
        answers.limit.cancel(ObjectIdentifier(messages[2]), of: greedy)
        #expect(try await !outcomes[2].value())
        answers.letEnd()
        for number in [0, 1, 3] { #expect(try await outcomes[number].value()) }
        #expect(answers.begun.load(ordering: .relaxed) == 3 && answers.limit.waiting(of: greedy) == 0)
        #expect(answers.limit.run(ObjectIdentifier(answers), of: greedy) { true } == true)
    }
}
