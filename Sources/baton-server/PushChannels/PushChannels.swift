// SPDX-License-Identifier: Apache-2.0
internal import IdentityPlatform
internal import MDMServer
internal import ServiceLifecycle
internal import Synchronization

/// Every push channel that devices hold, one a device: where the identity platform's devices and those of management meet.
final class PushChannels: Sendable {
    fileprivate struct State {
        var channels: [EnrolledDevice: PushConnection] = [:]
        /// Whose push channels hear of a device of the directory; more than one only where a device's state was copied.
        var holders: [DeviceStateChange: Set<EnrolledDevice>] = [:]
        var isClosed = false
    }

    /// How long a push channel may last, so that a nudge that got lost delays no longer than this.
    static let longestLife = Duration.seconds(600)

    private let capacity: Int
    let keepAlive: Duration
    private let state = Mutex(State())

    /// - Parameters:
    ///   - capacity: push channels at once.
    ///   - keepAlive: the longest silence that devices are promised.
    init(capacity: Int, keepAlive: Duration) {
        self.capacity = capacity
        self.keepAlive = keepAlive
    }

    /// Whether another push channel has a place; a device that has one already always finds its own.
    func hasPlace(for device: EnrolledDevice) -> Bool {
        state.withLock { !$0.isClosed && ($0.channels.count < capacity || $0.channels[device] != nil) }
    }

    /// Takes a push channel in, and ends the one that the device held before.
    ///
    /// - Returns: whether it has a place.
    func take(_ connection: PushConnection) -> Bool {
        let (isTaken, former) = state.withLock { state -> (Bool, PushConnection?) in
            let former = state.channels[connection.device]
            guard !state.isClosed, former != nil || state.channels.count < capacity else { return (false, nil) }
            if let former { state.drop(former) }
            state.channels[connection.device] = connection
            if let change = connection.change { state.holders[change, default: []].insert(connection.device) }
            return (true, former)
        }
        former?.end()
        return isTaken
    }

    func release(_ connection: PushConnection) {
        state.withLock { state in
            if state.channels[connection.device] === connection { state.drop(connection) }
        }
    }

    func nudge(_ device: EnrolledDevice) { state.withLock { $0.channels[device] }?.nudge() }

    func nudge(_ change: DeviceStateChange) {
        let channels = state.withLock { state in (state.holders[change] ?? []).compactMap { state.channels[$0] } }
        for connection in channels { connection.nudge() }
    }

    /// Sees that every device hears something in time.
    private func beat() {
        let now = ContinuousClock.now
        let jitter = Double.random(in: 0.9...1)
        for connection in state.withLock({ Array($0.channels.values) }) {
            connection.beat(silentSince: now - keepAlive * 0.75, oldest: now - Self.longestLife * jitter)
        }
    }

    private func close() {
        let channels = state.withLock { state in
            state.isClosed = true
            return Array(state.channels.values)
        }
        for connection in channels { connection.end() }
    }
}

extension PushChannels: Service {
    /// Beats for as long as the server runs; ends every push channel when it stops, since a listener waits for its answers.
    func run() async throws {
        await withGracefulShutdownHandler {
            await cancelWhenGracefulShutdown {
                while !Task.isCancelled {
                    do { try await Task.sleep(for: self.keepAlive / 4) } catch { return }
                    self.beat()
                }
            }
        } onGracefulShutdown: {
            self.close()
        }
    }
}

extension PushChannels.State {
    fileprivate mutating func drop(_ connection: PushConnection) {
        channels[connection.device] = nil
        guard let change = connection.change else { return }
        holders[change]?.remove(connection.device)
        if holders[change]?.isEmpty == true { holders[change] = nil }
    }
}

extension PushConnection {
    /// What the identity platform calls the device at the other end.
    fileprivate var change: DeviceStateChange? { asker.map { DeviceStateChange(tenant: $0.tenant, device: $0.device) } }
}
