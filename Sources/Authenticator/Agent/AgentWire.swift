// SPDX-License-Identifier: Apache-2.0
internal import FoundationEssentials
internal import Redaction
package import UnixSocket

/// Orders and messages as JSON in the frames of `agent.sock`.
package enum AgentWire {
    /// The most bytes of one frame in either direction.
    package static let maximumFrame = 8 << 10

    /// Sends one order or message.
    ///
    /// - Throws: ``SocketError`` when the peer is gone, or an encoding error.
    package static func send(_ message: some Encodable, over connection: Connection) throws {
        try connection.write(Array(JSONEncoder().encode(message)))
    }

    /// Waits for the next order or message.
    ///
    /// - Throws: ``Connection/ReadFailure`` at the end, or a decoding error.
    package static func receive<Message: Decodable>(_: Message.Type, from connection: Connection) throws -> Message {
        let frame = try connection.read()
        return try unsafe frame.body.withUnsafeBytes { bytes in
            try JSONDecoder().decode(Message.self, from: unsafe Data(bytes))
        }
    }
}
