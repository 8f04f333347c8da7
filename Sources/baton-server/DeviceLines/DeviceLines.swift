// SPDX-License-Identifier: Apache-2.0
internal import IdentityPlatform
internal import MDMServer
internal import ServiceLifecycle
internal import Synchronization

/// Every line that devices hold, one a device: where the identity platform's devices and those of management meet.
final class DeviceLines: Sendable {
    fileprivate struct State {
        var lines: [ManagedDevice: HeldLine] = [:]
        /// Whose lines hear of a device of the directory; more than one only where a device's state was copied.
        var holders: [DeviceConcern: Set<ManagedDevice>] = [:]
        var isClosed = false
    }

    /// How long a line may last, so that a nudge that got lost delays no longer than this.
    static let longestLife = Duration.seconds(600)

    private let capacity: Int
    let keepAlive: Duration
    private let state = Mutex(State())

    /// - Parameters:
    ///   - capacity: lines at once.
    ///   - keepAlive: the longest silence that devices are promised.
    init(capacity: Int, keepAlive: Duration) {
        self.capacity = capacity
        self.keepAlive = keepAlive
    }

    /// Whether another line has a place; a device that has one already always finds its own.
    func hasPlace(for device: ManagedDevice) -> Bool {
        state.withLock { !$0.isClosed && ($0.lines.count < capacity || $0.lines[device] != nil) }
    }

    /// Takes a line in, and ends the one that the device held before.
    ///
    /// - Returns: whether it has a place.
    func take(_ line: HeldLine) -> Bool {
        let (isTaken, former) = state.withLock { state -> (Bool, HeldLine?) in
            let former = state.lines[line.device]
            guard !state.isClosed, former != nil || state.lines.count < capacity else { return (false, nil) }
            if let former { state.drop(former) }
            state.lines[line.device] = line
            if let concern = line.concern { state.holders[concern, default: []].insert(line.device) }
            return (true, former)
        }
        former?.end()
        return isTaken
    }

    func release(_ line: HeldLine) {
        state.withLock { state in
            if state.lines[line.device] === line { state.drop(line) }
        }
    }

    func nudge(_ device: ManagedDevice) { state.withLock { $0.lines[device] }?.nudge() }

    func nudge(_ concern: DeviceConcern) {
        let lines = state.withLock { state in (state.holders[concern] ?? []).compactMap { state.lines[$0] } }
        for line in lines { line.nudge() }
    }

    /// Sees that every device hears something in time.
    private func beat() {
        let now = ContinuousClock.now
        let jitter = Double.random(in: 0.9...1)
        for line in state.withLock({ Array($0.lines.values) }) {
            line.beat(silentSince: now - keepAlive * 0.75, oldest: now - Self.longestLife * jitter)
        }
    }

    private func close() {
        let lines = state.withLock { state in
            state.isClosed = true
            return Array(state.lines.values)
        }
        for line in lines { line.end() }
    }
}

extension DeviceLines: Service {
    /// Beats for as long as the server runs; ends every line when it stops, since a listener waits for its answers.
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

extension DeviceLines.State {
    fileprivate mutating func drop(_ line: HeldLine) {
        lines[line.device] = nil
        guard let concern = line.concern else { return }
        holders[concern]?.remove(line.device)
        if holders[concern]?.isEmpty == true { holders[concern] = nil }
    }
}

extension HeldLine {
    /// What the identity platform calls the device at the other end.
    fileprivate var concern: DeviceConcern? { asker.map { DeviceConcern(tenant: $0.tenant, device: $0.device) } }
}
