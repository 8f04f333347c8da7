// SPDX-License-Identifier: Apache-2.0
internal import IdentityPlatform
internal import Logging
internal import MDMServer
internal import ServiceLifecycle
internal import Storage
internal import Synchronization

/// All push channels that are open at this node, one per device. Connects devices of the identity platform with devices
/// of device management.
final class PushChannels: Sendable {
    fileprivate struct State {
        var channels: [DeviceReference: PushConnection] = [:]
        /// The enrolled devices whose push channels are notified about a device in the directory. Several enrolled
        /// devices belong to one device in the directory only if that device's state was copied.
        var holders: [DeviceStateChange: Set<DeviceReference>] = [:]
        var isClosed = false
    }

    /// How many push channels are nudged at once after a gap in the announcements, and the pause after them. Each
    /// nudged device sends requests, so the rate is limited.
    private static let (batch, pause) = (250, Duration.milliseconds(250))

    private let capacity: Int
    let keepAlive: Duration
    private let state = Mutex(State())
    /// Yields after a gap in the announcements. Several gaps are coalesced into one.
    private let gaps: AsyncStream<Void>
    private let gap: AsyncStream<Void>.Continuation

    /// Makes an empty set of push channels.
    ///
    /// - Parameters:
    ///   - capacity: the maximum number of push channels.
    ///   - keepAlive: the maximum interval between two messages, which the server announces to devices.
    init(capacity: Int, keepAlive: Duration) {
        self.capacity = capacity
        self.keepAlive = keepAlive
        (gaps, gap) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// Whether a push channel can be added for the device. A device that already has a push channel can always replace
    /// it.
    func hasPlace(for device: EnrolledDeviceID) -> Bool {
        state.withLock { !$0.isClosed && ($0.channels.count < capacity || $0.channels[device.reference] != nil) }
    }

    /// Adds a push channel and ends the device's previous one.
    ///
    /// - Returns: whether there was a place.
    func take(_ connection: PushConnection) -> Bool {
        let (isTaken, former) = state.withLock { state -> (Bool, PushConnection?) in
            let former = state.channels[connection.reference]
            guard !state.isClosed, former != nil || state.channels.count < capacity else { return (false, nil) }
            if let former { state.drop(former) }
            state.channels[connection.reference] = connection
            if let change = connection.change { state.holders[change, default: []].insert(connection.reference) }
            return (true, former)
        }
        former?.end()
        return isTaken
    }

    func release(_ connection: PushConnection) {
        state.withLock { state in
            if state.channels[connection.reference] === connection { state.drop(connection) }
        }
    }

    /// The number of push channels that are open.
    var held: Int { state.withLock { $0.channels.count } }

    /// Nudges the push channels that an announcement concerns, whichever engine and node made the announcement.
    func observe(_ identity: Platform, _ management: MDMService, logger: Logger) {
        identity.observeDevices { [self] seen in
            switch seen {
            case .change(let change): nudge(change)
            case .gap: closeGap(of: "identity", logger)
            }
        }
        management.observeDevices { [self] seen in
            switch seen {
            case .change(let work): nudge(work.device)
            case .gap: closeGap(of: "management", logger)
            }
        }
    }

    /// Nudges every push channel soon, because announcements of other nodes may have been lost.
    private func closeGap(of engine: String, _ logger: Logger) {
        gap.yield()
        logger.info("changes at other nodes are announced from now on", metadata: ["database": "\(engine)"])
    }

    private func nudge(_ device: DeviceReference) { state.withLock { $0.channels[device] }?.nudge() }

    private func nudge(_ change: DeviceStateChange) {
        let channels = state.withLock { state in (state.holders[change] ?? []).compactMap { state.channels[$0] } }
        for connection in channels { connection.nudge() }
    }

    /// Nudges every push channel after each gap in the announcements, at a limited rate.
    private func closeGaps() async {
        for await _ in gaps {
            var rest = state.withLock { Array($0.channels.values) }[...]
            repeat {
                for connection in rest.prefix(Self.batch) { connection.nudge() }
                rest = rest.dropFirst(Self.batch)
                do { try await Task.sleep(for: Self.pause) } catch { return }
            } while !rest.isEmpty
        }
    }

    /// Wakes push channels that have been silent for too long, and ends push channels that have been open for too long.
    private func beat() {
        let now = ContinuousClock.now
        for connection in state.withLock({ Array($0.channels.values) }) {
            connection.beat(silentSince: now - keepAlive * 0.75, now: now)
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
    /// Calls `beat()` regularly and handles gaps while the server runs. Ends every push channel at shutdown, because the
    /// listener waits until its open responses have ended.
    func run() async throws {
        await withGracefulShutdownHandler {
            await cancelWhenGracefulShutdown {
                async let gaps: Void = self.closeGaps()
                while !Task.isCancelled {
                    do { try await Task.sleep(for: self.keepAlive / 4) } catch { break }
                    self.beat()
                }
                await gaps
            }
        } onGracefulShutdown: {
            self.close()
        }
    }
}

extension PushChannels.State {
    fileprivate mutating func drop(_ connection: PushConnection) {
        channels[connection.reference] = nil
        guard let change = connection.change else { return }
        holders[change]?.remove(connection.reference)
        if holders[change]?.isEmpty == true { holders[change] = nil }
    }
}

extension PushConnection {
    /// The change that the identity platform announces for the device at the other end.
    fileprivate var change: DeviceStateChange? { asker.map { DeviceStateChange(tenant: $0.tenant, device: $0.device) } }
}
