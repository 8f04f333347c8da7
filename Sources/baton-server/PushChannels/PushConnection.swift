// SPDX-License-Identifier: Apache-2.0
internal import IdentityPlatform
internal import MDMServer
internal import PushProtocol
internal import Synchronization

/// The server's side of one device's push channel. It stores the messages to write next.
///
/// Callers never wait. Nudges are coalesced: even a slow push channel never has more than one nudge to write.
final class PushConnection: Sendable {
    /// The maximum time that a push channel stays open. If a nudge is lost, the device learns of the change after this
    /// time at the latest.
    static let longestLife = Duration.seconds(600)

    private struct State {
        var isNudged = false
        var isOver = false
        var lastWritten: ContinuousClock.Instant
    }

    let device: EnrolledDeviceID
    /// The reference to the device in announcements.
    let reference: DeviceReference
    /// The directory's device at the other end, which proved possession of its key; nil if the device has not joined.
    let asker: DeviceAsker?
    /// When the push channel becomes too old. The lifetimes of push channels differ at random: when a node ends, many
    /// devices open a push channel at the same time, and must not all do so again ten minutes later.
    private let expiry: ContinuousClock.Instant
    private let state: Mutex<State>
    /// Yields when there may be something to write. Several wakes are coalesced into one.
    let wakes: AsyncStream<Void>
    private let wake: AsyncStream<Void>.Continuation

    init(_ device: EnrolledDeviceID, asker: DeviceAsker?, now: ContinuousClock.Instant = .now) {
        (self.device, reference) = (device, device.reference)
        self.asker = asker
        expiry = now + Self.longestLife * Double.random(in: 0.75...1)
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

    /// Wakes the push channel if it has been silent since `time`; ends it if it is too old.
    func beat(silentSince time: ContinuousClock.Instant, now: ContinuousClock.Instant) {
        guard now < expiry else { return end() }
        guard state.withLock({ $0.lastWritten <= time }) else { return }
        wake.yield()
    }

    /// Returns the message to write after a wake; nil if the push channel must end.
    func takeMessage() -> PushMessage? {
        state.withLock { state in
            defer { (state.isNudged, state.lastWritten) = (false, .now) }
            return state.isOver ? nil : state.isNudged ? .nudge : .alive
        }
    }
}
