// SPDX-License-Identifier: Apache-2.0
internal import BrokerIPC
internal import BrokerProtocol
internal import Logging
internal import UnixSocket

/// Sends the device's state to the programs that are connected to `status.sock`. Used only on the supervisor's thread.
///
/// It never reads from these programs and never waits for any of them: a program that does not read its messages loses
/// its connection.
final class StatusPublisher {
    private struct Reader {
        let user: UInt32
        let channel: FramedJSON<DeviceState, DeviceState>
    }

    private static let maximumPerUser = 8
    private static let maximum = 32

    private let logger: Logger
    private var readers: [Reader] = []
    private var last: DeviceState?

    /// The examination whose result is part of the state; nil in quarantine, when the state contains the quarantine's
    /// reason instead.
    let examination: RegularExamination?

    init(examination: RegularExamination? = nil, logger: Logger) {
        (self.examination, self.logger) = (examination, logger)
    }

    /// Sends the state to a program that has connected. Closes the connection if the program's user has too many
    /// connections.
    func add(_ descriptor: Descriptor, of user: UInt32, _ state: DeviceState) {
        publish { state }
        readers.removeAll(where: \.channel.connection.descriptor.isEnded)
        guard readers.count < Self.maximum, readers.count(where: { $0.user == user }) < Self.maximumPerUser else {
            return logger.notice("too many programs read the status", metadata: ["peer.uid": "\(user)"])
        }
        examination?.follow(isWanted: state.stage == .ready)
        let channel = FramedJSON<DeviceState, DeviceState>(descriptor, limits: Wire.statusLimits)
        guard (try? channel.connection.descriptor.setNonBlocking()) != nil, Self.send(state, on: channel) else {
            return
        }
        readers.append(Reader(user: user, channel: channel))
        last = state
    }

    /// Sends the state to every reader if it has changed. The state is not computed if nobody reads it.
    func publish(_ state: () -> DeviceState) {
        guard !readers.isEmpty else {
            examination?.follow(isWanted: false)
            return last = nil
        }
        let state = state()
        examination?.follow(isWanted: state.stage == .ready)
        guard state != last else { return }
        last = state
        readers.removeAll { !Self.send(state, on: $0.channel) }
    }

    private static func send(_ state: DeviceState, on channel: FramedJSON<DeviceState, DeviceState>) -> Bool {
        do {
            try channel.send(state)
            return true
        } catch {
            // A part of the message may have been sent, so no other message can follow.
            channel.connection.shutDown()
            return false
        }
    }
}
