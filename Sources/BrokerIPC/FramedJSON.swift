// SPDX-License-Identifier: Apache-2.0
package import JSON
internal import Redaction
package import UnixSocket

/// Messages between Baton's own programs: JSON in the frames of a ``FrameConnection``.
///
/// Both ends are of the same release (docs/operations/upgrade.md), so the messages use Swift's own encoding and need no
/// version. The bytes are parsed as strictly as those of any other peer. ``Wire`` contains the limits of every socket.
package struct FramedJSON<Incoming: Decodable & Sendable, Outgoing: Encodable & Sendable>: Sendable {
    package let connection: FrameConnection
    private let limits: JSONLimits

    package init(_ connection: FrameConnection, limits: JSONLimits) {
        self.connection = connection
        self.limits = limits
    }

    /// Wraps a connected socket that carries no descriptors.
    package init(_ descriptor: Descriptor, limits: JSONLimits) {
        self.init(
            FrameConnection(descriptor, maximumFrame: limits.bytes, acceptsDescriptors: false), limits: limits)
    }

    /// Connects to the socket at `path`.
    ///
    /// - Throws: ``SocketError``.
    package static func connect(to path: String, limits: JSONLimits) throws(SocketError) -> FramedJSON {
        FramedJSON(try FrameConnection.connect(to: path, maximumFrame: limits.bytes), limits: limits)
    }

    /// Sends one message.
    ///
    /// - Throws: ``SocketError`` if the peer has disconnected, or an encoding error.
    package func send(_ message: Outgoing, descriptors: [Descriptor] = []) throws {
        var body = try JSONWriter.encode(message)
        defer { wipe(&body) }
        try connection.write(body, descriptors: descriptors)
    }

    /// Waits for the next message.
    ///
    /// - Throws: ``FrameConnection/ReadFailure`` at the end of the connection, ``JSONFailure``, or a decoding error.
    package func receive() throws -> (message: Incoming, descriptors: [Descriptor]) {
        let frame = try connection.read()
        var bytes = unsafe frame.body.withUnsafeBytes { unsafe [UInt8]($0) }
        defer { wipe(&bytes) }
        return (try JSONReader.read(Incoming.self, from: bytes, limits: limits), frame.descriptors)
    }
}
