// SPDX-License-Identifier: Apache-2.0
internal import Synchronization

/// A cache of one value: the value that was made last, with its key. A caller never gets the value of another key, even
/// during concurrent calls.
package final class KeyedCache<Key: Equatable & Sendable, Value: Sendable>: Sendable {
    // One mutex for both: with two, a reader could combine the old key with the new value.
    private let kept = Mutex<(key: Key, value: Value)?>(nil)

    package init() {}

    /// Returns the value for `key`. Makes it if the cached value has a different key, or if there is none.
    package func value(for key: Key, make: @Sendable () async throws -> Value) async throws -> Value {
        if let value = kept.withLock({ $0?.key == key ? $0?.value : nil }) { return value }
        let made = try await make()
        kept.withLock { $0 = (key, made) }
        return made
    }
}
