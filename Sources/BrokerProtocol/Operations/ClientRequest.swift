// SPDX-License-Identifier: Apache-2.0
internal import Encodings

/// The parameters common to all operations on accounts: the calling app's client id and a correlation id.
package struct ClientRequest: Sendable, Equatable {
    package let clientID: String
    /// Identifies one request in app, broker and server.
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

    /// - Throws: ``BrokerError`` -51111 if there is no client id, -51114 for another protocol version.
    package init(_ map: FlatMap) throws(BrokerError) {
        try Self.checkVersion(map)
        self.init(clientID: try map.required(.clientID), correlationID: map.correlationID)
    }

    /// Refuses maps of an unsupported protocol version.
    ///
    /// - Throws: ``BrokerError`` -51111 if there is no version, -51114 for another version.
    package static func checkVersion(_ map: FlatMap) throws(BrokerError) {
        guard try map.required(.protocolVersion) == Wire.messageProtocol else {
            throw BrokerError(
                .unsupported,
                "The broker accepts only msg_protocol_ver \(Wire.messageProtocol). Update the app or the broker.")
        }
    }
}

extension FlatMap {
    /// The request's correlation id in lower case if it is a UUID, otherwise nil. No other value is logged or forwarded.
    /// The server writes ids in lower case, so that one search finds a request in both logs.
    package var correlationID: String? { Self.uuid(self[.correlationID]) }

    /// Returns the text in lower case if it is a UUID, otherwise nil.
    package static func uuid(_ text: String?) -> String? {
        guard let text, text.utf8.count == 36 else { return nil }
        var (index, isLowercase) = (0, true)
        for byte in text.utf8 {
            let isHyphen = index == 8 || index == 13 || index == 18 || index == 23
            guard isHyphen ? byte == UInt8(ascii: "-") : Hexadecimal.value(byte) != nil else { return nil }
            if byte < UInt8(ascii: "a"), byte >= UInt8(ascii: "A") { isLowercase = false }
            index += 1
        }
        return isLowercase ? text : text.lowercased()
    }
}
