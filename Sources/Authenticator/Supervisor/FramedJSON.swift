// SPDX-License-Identifier: Apache-2.0
internal import FoundationEssentials
internal import Redaction
package import UnixSocket

/// Messages of Baton's own processes to each other: JSON in the frames of a ``Connection``.
///
/// Both ends are of one release, so the shapes are Swift's own and need no version.
package struct FramedJSON<Incoming: Decodable & Sendable, Outgoing: Encodable & Sendable>: Sendable {
    package let connection: Connection

    package init(_ connection: Connection) { self.connection = connection }

    /// Sends one message.
    ///
    /// - Throws: ``SocketError`` when the peer is gone, or an encoding error.
    package func send(_ message: Outgoing, descriptors: [Descriptor] = []) throws {
        var body = Array(try JSONEncoder().encode(message))
        defer { wipe(&body) }
        try connection.write(body, descriptors: descriptors)
    }

    /// Waits for the next message.
    ///
    /// - Throws: ``Connection/ReadFailure`` at the end, or a decoding error.
    package func receive() throws -> (message: Incoming, descriptors: [Descriptor]) {
        let frame = try connection.read()
        let message = try frame.body.withBytes { bytes in
            try JSONDecoder().decode(Incoming.self, from: unsafe bytes.withUnsafeBytes { unsafe Data($0) })
        }
        return (message, frame.descriptors)
    }
}
