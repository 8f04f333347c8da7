// SPDX-License-Identifier: Apache-2.0
internal import FoundationEssentials
package import JSON
internal import Redaction
package import UnixSocket

/// Messages of Baton's own programs to each other: JSON in the frames of a ``Connection``.
///
/// Both ends are of one release, so the shapes are Swift's own and need no version; the bytes are read as strictly as
/// anybody's. ``Wire`` holds the limits of every socket.
package struct FramedJSON<Incoming: Decodable & Sendable, Outgoing: Encodable & Sendable>: Sendable {
    package let connection: Connection
    private let limits: JSONLimits

    package init(_ connection: Connection, limits: JSONLimits) {
        self.connection = connection
        self.limits = limits
    }

    /// Wraps a connected socket, which carries no descriptors.
    package init(_ descriptor: Descriptor, limits: JSONLimits) {
        self.init(
            Connection(descriptor, maximumFrame: limits.bytes, acceptsDescriptors: false), limits: limits)
    }

    /// Connects to the socket at `path`.
    ///
    /// - Throws: ``SocketError``.
    package static func connect(to path: String, limits: JSONLimits) throws(SocketError) -> FramedJSON {
        FramedJSON(try Connection.connect(to: path, maximumFrame: limits.bytes), limits: limits)
    }

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
    /// - Throws: ``Connection/ReadFailure`` at the end, ``JSONFailure``, or a decoding error.
    package func receive() throws -> (message: Incoming, descriptors: [Descriptor]) {
        let frame = try connection.read()
        var bytes = unsafe frame.body.withUnsafeBytes { unsafe [UInt8]($0) }
        defer { wipe(&bytes) }
        return (try JSONReader.read(Incoming.self, from: bytes, limits: limits), frame.descriptors)
    }
}
