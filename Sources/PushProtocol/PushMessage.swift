// SPDX-License-Identifier: Apache-2.0
internal import JSON

/// One message of the server.
package enum PushMessage: Sendable, Equatable {
    /// The first one: how things stand.
    case present(Present)
    /// Something has changed: ask.
    case nudge
    /// The server is there.
    case alive
    /// An event of a later version, which this one takes for a sign of life.
    case unknown

    /// How things stand for the device at the moment at which the push channel began to hear of changes.
    package struct Present: Sendable, Equatable {
        /// The identity platform's word on device and session; nil where the device did not ask.
        package let status: String?
        /// Whether the management server has commands for the device.
        package let hasCommands: Bool
        /// Seconds between two messages, at most.
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

    /// The message with the line feed that ends it.
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

    /// Reads a message without its line feed; nil where it is none.
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

/// Cuts the pieces of an answer's body into messages.
package struct PushMessageReader: Sendable {
    private var rest: [UInt8] = []

    package init() {}

    /// Takes the next piece.
    ///
    /// - Returns: the messages that are complete now.
    /// - Throws: ``PushProtocolError`` for what is none, or too long to be one.
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

/// What came over the push channel is no message; the push channel cannot go on.
package struct PushProtocolError: Error, Equatable {}
