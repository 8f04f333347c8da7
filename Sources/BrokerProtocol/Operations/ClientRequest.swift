// SPDX-License-Identifier: Apache-2.0

/// What every operation on accounts says of the app that asks: its client id and the parameters common to all.
package struct ClientRequest: Sendable, Equatable {
    package let clientID: String
    /// Follows one action through app, broker and server.
    package let correlationID: String?

    package init(clientID: String, correlationID: String? = nil) {
        self.clientID = clientID
        self.correlationID = correlationID
    }

    package var entries: FlatMap {
        var map = FlatMap([.clientID: clientID, .protocolVersion: Wire.messageProtocol])
        map[.correlationID] = correlationID
        return map
    }

    /// - Throws: ``BrokerError`` -51111 without a client id, -51114 for another protocol version.
    package init(_ map: FlatMap) throws(BrokerError) {
        try Self.checkVersion(map)
        self.init(clientID: try map.required(.clientID), correlationID: map.correlationID)
    }

    /// Refuses maps of a protocol version that this code does not read.
    ///
    /// - Throws: ``BrokerError`` -51111 without a version, -51114 for another.
    package static func checkVersion(_ map: FlatMap) throws(BrokerError) {
        guard try map.required(.protocolVersion) == Wire.messageProtocol else {
            throw BrokerError(
                .unsupported, "The broker reads msg_protocol_ver \(Wire.messageProtocol) only. Update app or broker.")
        }
    }
}

extension FlatMap {
    /// The id of the request, where it is a UUID: nothing else is written into logs or sent on.
    package var correlationID: String? {
        guard let text = self[.correlationID], text.utf8.count == 36 else { return nil }
        let isUUID = text.utf8.enumerated().allSatisfy { index, byte in
            [8, 13, 18, 23].contains(index)
                ? byte == UInt8(ascii: "-") : Character(Unicode.Scalar(byte)).isHexDigit
        }
        return isUUID ? text : nil
    }
}
