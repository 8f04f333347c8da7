// SPDX-License-Identifier: Apache-2.0
internal import IdentityPlatform
internal import MDMServer
internal import PushProtocol
internal import Synchronization

/// One device's push channel as the server holds it: what is to be written next, however often it was wanted.
///
/// Whoever wants something never waits; a push channel that is slow to write has one nudge to write afterwards, not many.
final class PushConnection: Sendable {
    private struct State {
        var isNudged = false
        var isOver = false
        var lastWritten: ContinuousClock.Instant
    }

    let device: EnrolledDevice
    /// The directory's device at the other end, which proved its key; nil where it has joined none.
    let asker: DeviceAsker?
    private let begun: ContinuousClock.Instant
    private let state: Mutex<State>
    /// Comes when there may be something to write; many wakes are one.
    let wakes: AsyncStream<Void>
    private let wake: AsyncStream<Void>.Continuation

    init(_ device: EnrolledDevice, asker: DeviceAsker?, now: ContinuousClock.Instant = .now) {
        self.device = device
        self.asker = asker
        begun = now
        state = Mutex(State(lastWritten: now))
        (wakes, wake) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    func nudge() {
        state.withLock { $0.isNudged = true }
        wake.yield()
    }

    func end() {
        state.withLock { $0.isOver = true }
        wake.yield()
    }

    /// Wakes the push channel where it has been silent since `time`; ends it where it began before `oldest`.
    func beat(silentSince time: ContinuousClock.Instant, oldest: ContinuousClock.Instant) {
        guard begun > oldest else { return end() }
        guard state.withLock({ $0.lastWritten <= time }) else { return }
        wake.yield()
    }

    /// What is to be written after a wake; nil where the push channel is to end.
    func takeMessage() -> PushMessage? {
        state.withLock { state in
            defer { (state.isNudged, state.lastWritten) = (false, .now) }
            return state.isOver ? nil : state.isNudged ? .nudge : .alive
        }
    }
}
