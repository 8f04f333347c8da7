// SPDX-License-Identifier: Apache-2.0
import Processes
import Testing

/// A value cached for one registration of the device is never returned for another registration.
@Suite struct KeyedCacheTests {
    @Test func `no caller gets a value of another key, even if the key changes meanwhile`() async throws {
        let cache = KeyedCache<String, Int>()
        let made = try await cache.value(for: "old") { () async throws -> Int in
            // Between the check and the store, the key changes and another caller asks for the value for the new key.
            #expect(try await cache.value(for: "new") { 2 } == 2)
            #expect(try await cache.value(for: "new") { 3 } == 2)
            return 1
        }
        #expect(made == 1)
        #expect(try await cache.value(for: "new") { 4 } == 4)
        #expect(try await cache.value(for: "old") { 5 } == 5)
    }

    @Test func `a cached value is computed once, and a failed computation is repeated`() async throws {
        struct Trouble: Error {}
        let cache = KeyedCache<String, Int>()
        await #expect(throws: Trouble.self) { try await cache.value(for: "a") { throw Trouble() } }
        #expect(try await cache.value(for: "a") { 1 } == 1)
        #expect(try await cache.value(for: "a") { 2 } == 1)
        #expect(try await cache.value(for: "b") { 3 } == 3)
        #expect(try await cache.value(for: "a") { 4 } == 4)
    }
}
