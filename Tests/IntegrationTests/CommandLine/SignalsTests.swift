// SPDX-License-Identifier: Apache-2.0
import Glibc
import Testing

@testable import baton

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
