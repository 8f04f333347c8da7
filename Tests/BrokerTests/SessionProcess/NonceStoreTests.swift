// SPDX-License-Identifier: Apache-2.0
import DeviceHTTPS
import Synchronization
import Testing

@Suite struct NonceStoreTests {
    @Test func `the newest nonce is returned once`() {
        let store = NonceStore()
        #expect(store.take() == nil)
        store.keep("one")
        store.keep("two")
        #expect(store.take() == "two")
        #expect(store.take() == nil)
    }

    @Test func `a nonce expires a minute before the server refuses it`() {
        let now = Mutex(ContinuousClock.now)
        let store = NonceStore { now.withLock(\.self) }
        store.keep("young")
        now.withLock { $0 += .seconds(239) }
        #expect(store.take() == "young")
        store.keep("old")
        now.withLock { $0 += .seconds(240) }
        #expect(store.take() == nil)
    }

    @Test(arguments: ["", "a b", "a\"b", "ä", "a=", String(repeating: "a", count: 257)])
    func `a malformed nonce is not stored`(text: String) {
        let store = NonceStore()
        store.keep("good-one_1")
        store.keep(text)
        store.keep(nil)
        #expect(store.take() == "good-one_1")
    }
}
