// SPDX-License-Identifier: Apache-2.0
import Authenticator
import Synchronization
import Testing

/// What is kept for one registration of the device is never given to another.
@Suite struct KeyedCacheTests {
    private final class Count: Sendable {
        let value = Atomic(0)
    }

    @Test func `nobody gets what was made for another key, however many ask at once`() async throws {
        let cache = KeyedCache<Int, Int>()
        let wrong = Count()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<4 {
                group.addTask { @concurrent in
                    for round in 0..<20_000 {
                        let key = (task + round) % 3
                        let value = try await cache.value(for: key) { key }
                        if value != key { wrong.value.add(1, ordering: .relaxed) }
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(wrong.value.load(ordering: .relaxed) == 0)
    }

    @Test func `what is kept is made once, and what could not be made is tried again`() async throws {
        struct Trouble: Error {}
        let cache = KeyedCache<String, Int>()
        await #expect(throws: Trouble.self) { try await cache.value(for: "a") { throw Trouble() } }
        #expect(try await cache.value(for: "a") { 1 } == 1)
        #expect(try await cache.value(for: "a") { 2 } == 1)
        #expect(try await cache.value(for: "b") { 3 } == 3)
        #expect(try await cache.value(for: "a") { 4 } == 4)
    }
}
