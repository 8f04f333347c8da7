// SPDX-License-Identifier: Apache-2.0
internal import Synchronization

/// Limits how many connections of one ``LoopbackServer`` are in the same state at once, for example admitted.
final class LoopbackConnectionLimiter: Sendable {
    struct Full: Error {}

    private let limit: Int
    private let taken = Mutex(0)

    init(limit: Int) { self.limit = limit }

    /// Returns a place if one is left; nil otherwise. The place becomes free again when the returned value is released.
    func take() -> Place? {
        taken.withLock { taken in
            guard taken < limit else { return nil }
            taken += 1
            return Place(places: self)
        }
    }

    final class Place: Sendable {
        private let places: LoopbackConnectionLimiter

        fileprivate init(places: LoopbackConnectionLimiter) { self.places = places }

        deinit { places.taken.withLock { $0 -= 1 } }
    }
}
