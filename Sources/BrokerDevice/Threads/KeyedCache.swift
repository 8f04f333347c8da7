// SPDX-License-Identifier: Apache-2.0
internal import Synchronization

/// The value that was made last, with what it was made for: what is given is never another key's, however many ask at once.
package final class KeyedCache<Key: Equatable & Sendable, Value: Sendable>: Sendable {
    // One state: of two, somebody could read the one from before a change and the other from after it.
    private let kept = Mutex<(key: Key, value: Value)?>(nil)

    package init() {}

    /// The value for `key`, made where the one that is kept is for another.
    package func value(for key: Key, make: @Sendable () async throws -> Value) async throws -> Value {
        if let value = kept.withLock({ $0?.key == key ? $0?.value : nil }) { return value }
        let made = try await make()
        kept.withLock { $0 = (key, made) }
        return made
    }
}
