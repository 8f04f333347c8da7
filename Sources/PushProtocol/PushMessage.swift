// SPDX-License-Identifier: Apache-2.0
internal import JSON

/// One message from the server.
package enum PushMessage: Sendable, Equatable {
    /// The first message: the current state.
    case present(Present)
    /// Something has changed; the device must fetch its state.
    case nudge
    /// A keep-alive message.
    case alive
    /// An event of a later version. It counts as a keep-alive message.
    case unknown

    /// The device's state when the push channel began to receive changes.
    package struct Present: Sendable, Equatable {
        /// The identity platform's status of the device and its session; nil if the device did not ask.
        package let status: String?
        /// Whether the management server has commands for the device.
        package let hasCommands: Bool
        /// The maximum number of seconds between two messages.
        package let keepAlive: Int

        package init(status: String?, hasCommands: Bool, keepAlive: Int) {
            self.status = status
            self.hasCommands = hasCommands
            self.keepAlive = keepAlive
        }
    }

    private enum Event {
        static let present = "present"
        static let nudge = "nudge"
        static let alive = "alive"
    }

    /// The message with its final line feed.
    package var bytes: [UInt8] {
        var members: [String: JSONValue] = [:]
        switch self {
        case .present(let present):
            members[PushChannel.Member.event] = .string(Event.present)
            members[PushChannel.Member.status] = present.status.map(JSONValue.string)
            members[PushChannel.Member.commands] = .bool(present.hasCommands)
            members[PushChannel.Member.keepAlive] = .integer(present.keepAlive)
        case .nudge: members[PushChannel.Member.event] = .string(Event.nudge)
        case .alive, .unknown: members[PushChannel.Member.event] = .string(Event.alive)
        }
        return JSONWriter.write(.object(members)) + [UInt8(ascii: "\n")]
    }

    /// Parses a message without its line feed; returns nil if it is invalid.
    package init?(bytes: [UInt8]) {
        guard let members = (try? JSONReader.read(bytes, limits: PushChannel.messageLimits))?.object,
            let event = members[PushChannel.Member.event]?.string
        else { return nil }
        switch event {
        case Event.present:
            guard let hasCommands = members[PushChannel.Member.commands]?.bool,
                let keepAlive = members[PushChannel.Member.keepAlive]?.integer, (1...3600).contains(keepAlive)
            else { return nil }
            self = .present(
                Present(
                    status: members[PushChannel.Member.status]?.string, hasCommands: hasCommands, keepAlive: keepAlive))
        case Event.nudge: self = .nudge
        case Event.alive: self = .alive
        default: self = .unknown
        }
    }
}

/// Splits the pieces of a response's body into messages.
package struct PushMessageReader: Sendable {
    private var rest: [UInt8] = []

    package init() {}

    /// Adds the next piece.
    ///
    /// - Returns: the messages that are now complete.
    /// - Throws: ``PushProtocolError`` if a message is invalid or too long.
    package mutating func take(_ piece: [UInt8]) throws(PushProtocolError) -> [PushMessage] {
        var messages: [PushMessage] = []
        for byte in piece {
            guard byte != UInt8(ascii: "\n") else {
                guard let message = PushMessage(bytes: rest) else { throw PushProtocolError() }
                messages.append(message)
                rest = []
                continue
            }
            guard rest.count < PushChannel.maximumMessage else { throw PushProtocolError() }
            rest.append(byte)
        }
        return messages
    }
}

/// Invalid data arrived on the push channel, which must be closed.
package struct PushProtocolError: Error, Equatable {}
