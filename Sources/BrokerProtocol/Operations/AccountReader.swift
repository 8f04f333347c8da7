// SPDX-License-Identifier: Apache-2.0

/// One of the readers of account changes that share a client id. Each reader has its own state: a change that one
/// reader has acknowledged is still reported to the others.
///
/// `MSAL`'s `getCurrentAccount` is the reader without a name; a library on top of `MSAL` uses a name.
package struct AccountReader: Sendable, Hashable {
    package let clientID: String
    /// A ``HandoverName``; empty for the reader without a name.
    package let name: String

    package init?(clientID: String, name: String) {
        guard HandoverName.isValid(name) else { return nil }
        self.clientID = clientID
        self.name = name
    }

    /// Reads from a request which reader of `clientID` is calling.
    ///
    /// - Throws: ``BrokerError`` -51112 for an invalid name.
    package init(_ map: FlatMap, clientID: String) throws(BrokerError) {
        guard let reader = AccountReader(clientID: clientID, name: map[.reader] ?? "") else {
            throw BrokerError(
                .developerParameter, "\(Key.reader.rawValue) is not a valid name. Send up to 16 letters from a to z.")
        }
        self = reader
    }
}

extension AccountReader: RawRepresentable, Codable, CodingKeyRepresentable {
    /// `<name>:<client id>`, as written in files and messages. A name contains no colon.
    package var rawValue: String { "\(name):\(clientID)" }

    package init?(rawValue: String) {
        let parts = rawValue.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2 else { return nil }
        self.init(clientID: String(parts[1]), name: String(parts[0]))
    }
}
