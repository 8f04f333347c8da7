// SPDX-License-Identifier: Apache-2.0
import CommandLineInterface
import Glibc
import Testing

@Suite(.timeLimit(.minutes(5))) struct SignalsTests {
    @Test func `a signal is handled as soon as handling has begun, and ignored after it has stopped`() async {
        await #expect(processExitsWith: .success) {
            for _ in 0..<100 {
                let (arrivals, arrived) = AsyncStream.makeStream(of: Int32.self)
                let signals = await Signals { arrived.yield($0) }
                kill(getpid(), SIGTERM)
                for await number in arrivals {
                    #expect(number == SIGTERM)
                    break
                }
                signals.stop()
                kill(getpid(), SIGTERM)
            }
        }
    }
}
