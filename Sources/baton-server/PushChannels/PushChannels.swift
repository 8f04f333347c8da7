// SPDX-License-Identifier: Apache-2.0
internal import IdentityPlatform
internal import MDMServer
internal import ServiceLifecycle
internal import Synchronization

/// All open push channels, one per device. Connects devices of the identity platform with devices of device management.
final class PushChannels: Sendable {
    fileprivate struct State {
        var channels: [EnrolledDevice: PushConnection] = [:]
        /// The enrolled devices whose push channels are notified about a device in the directory. There is more than
        /// one only if a device's state was copied.
        var holders: [DeviceStateChange: Set<EnrolledDevice>] = [:]
        var isClosed = false
    }

    /// The maximum time that a push channel stays open. If a nudge is lost, the device learns of the change after this
    /// time at the latest.
    static let longestLife = Duration.seconds(600)

    private let capacity: Int
    let keepAlive: Duration
    private let state = Mutex(State())

    /// Makes an empty set of push channels.
    ///
    /// - Parameters:
    ///   - capacity: the maximum number of push channels.
    ///   - keepAlive: the maximum interval between messages that the server announces to devices.
    init(capacity: Int, keepAlive: Duration) {
        self.capacity = capacity
        self.keepAlive = keepAlive
    }

    /// Whether a push channel can be added for the device. A device that already has a push channel can always replace
    /// it.
    func hasPlace(for device: EnrolledDevice) -> Bool {
        state.withLock { !$0.isClosed && ($0.channels.count < capacity || $0.channels[device] != nil) }
    }

    /// Adds a push channel and ends the device's previous one.
    ///
    /// - Returns: whether there was a place.
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

    /// Wakes push channels that have been silent for too long, and ends push channels that have been open for too long.
    private func beat() {
        let now = ContinuousClock.now
        let jitter = Double.random(in: 0.9...1)
        for connection in state.withLock({ Array($0.channels.values) }) {
            connection.beat(silentSince: now - keepAlive * 0.75, oldest: now - Self.longestLife * jitter)
        }
    }

    /// Whether the server is about to stop. No push channel can be opened.
    var isClosed: Bool { state.withLock { $0.isClosed } }

    private func close() { for connection in closed() { connection.end() } }

    /// Ends every push channel. The ends are spread evenly over `time`, so that the devices do not all open a channel
    /// to another node at once.
    func end(over time: Duration) async {
        let (channels, start) = (closed(), ContinuousClock.now)
        let steps = max(1, min(channels.count, Int(time / .milliseconds(100))))
        for step in 0..<steps {
            let next = start + time * Double(step) / Double(steps)
            do { try await Task.sleep(until: next, clock: .continuous) } catch {}
            for index in stride(from: step, to: channels.count, by: steps) { channels[index].end() }
        }
        do { try await Task.sleep(until: start + time, clock: .continuous) } catch {}
    }

    /// Refuses further push channels and returns the open ones.
    private func closed() -> [PushConnection] {
        state.withLock { state in
            state.isClosed = true
            return Array(state.channels.values)
        }
    }
}

extension PushChannels: Service {
    /// Calls `beat()` regularly while the server runs. Ends every push channel at shutdown, because the listener waits
    /// until its open responses have ended.
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
    /// The change that the identity platform announces for the device at the other end.
    fileprivate var change: DeviceStateChange? { asker.map { DeviceStateChange(tenant: $0.tenant, device: $0.device) } }
}
